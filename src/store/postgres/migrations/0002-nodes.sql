-- Several nodes on one database: who is a member, whose stop was asked for, who does a task. All times are the database's.

create table nodes (
  -- The owner of the turns that it runs.
  id             bigint  primary key,
  name           text    not null,
  version        text    not null,
  started_at_ms  bigint  not null,
  lease_until_ms bigint  not null,
  is_draining    integer not null default 0 check (is_draining in (0, 1)),
  -- When it left, or was taken for dead.
  gone_at_ms     bigint
);

create index nodes_members on nodes (lease_until_ms) where gone_at_ms is null;

create table tasks (
  name           text   primary key,
  node_id        bigint not null,
  lease_until_ms bigint not null
);

-- When another node asked for the stop of a running turn.
alter table responses add column stop_requested_at_ms bigint;

create index responses_to_stop on responses (owner) where completed_at is null and stop_requested_at_ms is not null;
create index responses_running_of on responses (owner) where completed_at is null;
