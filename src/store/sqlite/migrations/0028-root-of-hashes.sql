-- compatible: yes. Nullable columns, which the former release neither reads nor writes.
-- The check value of the root secret that a hash was made with; null: made before the root secret was rotated for the first time.
alter table key_secrets add column root text;
alter table admin_tokens add column root text;
