-- Management: tokens of programs, passwords and sessions of people, and the log of every change. Secrets stand here as keyed hashes.

-- The audit log: append-only, each row's hash taken over the one before it ----------------------------------------------

create table audit_log (
  -- Counted from 1 without a gap: a row that is missing shows.
  id              integer primary key,
  -- Null: a change to the platform itself.
  organization_id text,
  at_ms           integer not null,
  actor_kind      text    not null check (actor_kind in ('cli', 'token', 'member', 'service')),
  -- Id of the token or member; the operating system's user of a command.
  actor_id        text    not null,
  action          text    not null,
  -- Id of what was changed; null: the organization itself.
  target          text,
  -- The values that changed, as JSON objects, never a secret; null where there was, or is, nothing.
  before          text,
  after           text,
  hash            text    not null
) strict;

create index audit_log_by_organization on audit_log (organization_id, id);

create trigger audit_log_never_changes before update on audit_log
begin
  select raise(abort, 'the audit log is append-only');
end;

create trigger audit_log_never_goes before delete on audit_log
begin
  select raise(abort, 'the audit log is append-only');
end;

-- Tokens of programs ----------------------------------------------------------------------------------------------------

create table admin_tokens (
  id              text    not null unique,
  -- Both null: a token of the platform's operator.
  organization_id text             references organizations (id),
  role            text             check (role in ('owner', 'admin', 'member')),
  name            text    not null,
  lookup          text    not null unique,
  hash            text    not null,
  created_at      integer not null,
  revoked_at      integer,
  check ((organization_id is null) = (role is null))
) strict;

create index admin_tokens_by_organization on admin_tokens (organization_id);

-- People: passwords, links to set one, sessions ---------------------------------------------------------------------------

create index members_by_email on members (email collate nocase);

create table member_passwords (
  member_id text    not null unique references members (id) on delete cascade,
  -- argon2id with its parameters and salt.
  hash      text    not null,
  set_at_ms integer not null
) strict;

create table sign_in_links (
  -- One a member: a new link ends the one before.
  member_id     text    not null unique references members (id) on delete cascade,
  hash          text    not null unique,
  expires_at_ms integer not null
) strict;

create table sessions (
  id            text    not null unique,
  member_id     text    not null references members (id) on delete cascade,
  hash          text    not null unique,
  started_at_ms integer not null,
  used_at_ms    integer not null
) strict;

create index sessions_by_member on sessions (member_id);
create index sessions_by_start on sessions (started_at_ms);
