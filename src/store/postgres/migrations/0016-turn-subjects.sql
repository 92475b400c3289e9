-- Who a turn was for, in the log of turns: a hash of the end user, and `KEY=VALUE` of the metadata key that the operator chose. Both are erased with the content.
alter table responses add column end_user text;
alter table responses add column label text;
-- Turns without them take no space.
create index responses_by_end_user on responses (organization_id, end_user, created_at, id)
 where end_user is not null;
create index responses_by_label on responses (organization_id, label, created_at, id)
 where label is not null;
