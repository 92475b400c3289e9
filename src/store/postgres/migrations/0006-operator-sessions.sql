-- Sessions of operators and links that start them; where a session was started; operators as actors of the audit log.

alter table audit_log drop constraint audit_log_actor_kind_check;
alter table audit_log add constraint audit_log_actor_kind_check
  check (actor_kind in ('cli', 'token', 'member', 'operator', 'service'));

alter table sessions
  alter column member_id drop not null,
  -- Exactly one of the two is set: an operator has a name and no row of its own.
  add column operator   text collate "C",
  -- The client that started it; null if it was not recorded.
  add column address    text,
  add column user_agent text,
  add check ((member_id is null) <> (operator is null));

drop index sessions_by_member;
create index sessions_by_member on sessions (member_id, started_at_ms);
create index sessions_by_operator on sessions (operator, started_at_ms) where operator is not null;

create table operator_links (
  -- One a name: a new link ends the one before.
  name          text   collate "C" primary key,
  hash          text   collate "C" not null unique,
  expires_at_ms bigint not null
);

create index operator_links_by_end on operator_links (expires_at_ms);
