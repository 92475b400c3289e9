-- What tells the root secret that this database's keys were hashed with from another one; says nothing of it.
create table root_secret (
  only        integer primary key check (only = 1),
  check_value text not null
) strict;
