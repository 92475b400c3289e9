-- compatible: yes. An index on the beginning of call ids: a key of an index has at most 2,704 bytes, and some ids more (sameCallId). Former nodes write on while it is built (index-builds.ts), unlike when the next line was written.
-- It is built while nodes of the former release wait with their writes, about a minute for ten million items. Until they
-- have stopped, they look up calls by their places in a conversation.
drop index items_by_call;
create index items_by_call on items (thread_id, substr(call_id, 1, 500), position) where call_id is not null;
