-- compatible: yes. Nullable columns, which the former release neither reads nor writes.
-- Who made a management token; null: made before this was recorded.
alter table admin_tokens add column created_by_kind text;
alter table admin_tokens add column created_by_id text;
