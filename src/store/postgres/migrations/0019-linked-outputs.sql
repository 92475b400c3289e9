-- Of an output: the public id of the function call that it answers, since some servers and clients repeat call_ids. Null of other items, and of
-- outputs stored before: they belong to the response that theirs answered, or to the call before them with their call_id.
alter table items add column answers text collate "C";
