-- What all nodes share of an organization's limits: allowances, and the streams that are open.

create table allowances (
  organization_id text   collate "C" not null,
  class           text   collate "C" not null check (class in ('create', 'retrieve', 'delete')),
  -- In 1/60,000 of a request (core/access/allowance.ts); null: nothing has been taken yet.
  remaining       bigint,
  at_ms           bigint,
  primary key (organization_id, class)
);

-- One row for each organization, which is locked to change its places.
create table stream_limits (
  organization_id text collate "C" primary key
);

-- The streams that each node has open or has drawn ahead. Those of a node that has gone are free.
create table stream_places (
  organization_id text   collate "C" not null,
  node_id         bigint not null,
  places          bigint not null check (places >= 0),
  primary key (organization_id, node_id)
);
