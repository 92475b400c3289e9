-- compatible: yes. A new table, which the former release does not use: its nodes count attempts to sign in apart.
-- What is left of the attempts to sign in from a network address or for an e-mail address, over all nodes. A row is full
-- again, and is removed, a minute after at_ms.
create table sign_in_attempts (
  -- A keyed hash of the address, so that no address is kept.
  hash      text   collate "C" primary key,
  -- As in allowances.
  remaining bigint,
  at_ms     bigint
);
create index sign_in_attempts_by_time on sign_in_attempts (at_ms);
