-- compatible: yes. The columns have defaults, and the former release, which knows no limits, finds no limited token (accounts/admin-tokens.ts).
-- What a management token may do, and when it ends, Unix seconds; null: never.
alter table admin_tokens add column permissions text not null default 'all' check (permissions in ('all', 'read'));
alter table admin_tokens add column expires_at integer;
