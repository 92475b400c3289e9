-- compatible: yes. Nullable columns, which the former release neither reads nor writes.
-- Who made a management token; null: made before this was recorded.
alter table admin_tokens add column created_by_kind text collate "C";
alter table admin_tokens add column created_by_id text collate "C";
-- The newest version of the schema that a node knows; null: of a release that did not say so.
alter table nodes add column schema_version integer;
