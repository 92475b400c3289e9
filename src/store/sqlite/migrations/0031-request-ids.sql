-- compatible: yes. A nullable column, which the former release neither reads nor writes.
-- The x-request-id of the create that made a response; null: made before. It has no index: the id begins with its time (histories/find-by-id.ts).
alter table responses add column request_id text;
