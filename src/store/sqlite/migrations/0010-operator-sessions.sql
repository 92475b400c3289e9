-- Sessions of operators and links that start them; where a session was started; operators as actors of the audit log.

-- SQLite cannot change a check: the rows move to a table with the new one. Their hashes stay as they are.
create table audit_log_with_operators (
  -- Counted from 1 without a gap: a row that is missing shows.
  id              integer primary key,
  -- Null: a change to the platform itself.
  organization_id text,
  at_ms           integer not null,
  actor_kind      text    not null check (actor_kind in ('cli', 'token', 'member', 'operator', 'service')),
  -- Id of the token or member; the name of the operator; the operating system's user of a command.
  actor_id        text    not null,
  action          text    not null,
  -- Id of what was changed; null: the organization itself.
  target          text,
  -- The values that changed, as JSON objects, never a secret; null where there was, or is, nothing.
  before          text,
  after           text,
  hash            text    not null
) strict;

insert into audit_log_with_operators
       (id, organization_id, at_ms, actor_kind, actor_id, action, target, before, after, hash)
select id, organization_id, at_ms, actor_kind, actor_id, action, target, before, after, hash
  from audit_log
 order by id;

drop table audit_log;
alter table audit_log_with_operators rename to audit_log;

create index audit_log_by_organization on audit_log (organization_id, id);

create trigger audit_log_never_changes before update on audit_log
begin
  select raise(abort, 'the audit log is append-only');
end;

create trigger audit_log_never_goes before delete on audit_log
begin
  select raise(abort, 'the audit log is append-only');
end;

create table sessions_of_people (
  id            text    not null unique,
  -- Exactly one of the two is set: an operator has a name and no row of its own.
  member_id     text             references members (id) on delete cascade,
  operator      text,
  hash          text    not null unique,
  started_at_ms integer not null,
  used_at_ms    integer not null,
  -- The client that started it; null if it was not recorded.
  address       text,
  user_agent    text,
  check ((member_id is null) <> (operator is null))
) strict;

insert into sessions_of_people (id, member_id, hash, started_at_ms, used_at_ms)
select id, member_id, hash, started_at_ms, used_at_ms
  from sessions
 order by rowid;

drop table sessions;
alter table sessions_of_people rename to sessions;

create index sessions_by_member on sessions (member_id, started_at_ms);
create index sessions_by_operator on sessions (operator, started_at_ms) where operator is not null;
create index sessions_by_start on sessions (started_at_ms);

create table operator_links (
  -- One a name: a new link ends the one before.
  name          text    not null unique,
  hash          text    not null unique,
  expires_at_ms integer not null
) strict;

create index operator_links_by_end on operator_links (expires_at_ms);
