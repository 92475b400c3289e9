-- compatible: yes. The columns have defaults, and the former release, which knows no limits, finds no limited token (accounts/admin-tokens.ts).
-- What a management token may do, and when it ends, Unix seconds; null: never.
alter table admin_tokens
  add column permissions text collate "C" not null default 'all' check (permissions in ('all', 'read')),
  add column expires_at bigint;
