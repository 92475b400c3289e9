-- Who an operator is at the provider of single sign-on: a session ends when the provider's rules give it no more. Null
-- for sessions that a link started, and for those of members, who have their identity in member_identities.
alter table sessions
  add column issuer  text collate "C",
  add column subject text collate "C";

create index sessions_by_identity on sessions (issuer, subject) where subject is not null;
