-- The feed of management events: what happened to organizations and to the service, for those who watch them.
create table events (
  -- In the order of commits, so that a reader who has read up to an id misses none.
  id              bigint primary key,
  -- Null: an event of the service itself.
  organization_id text   collate "C",
  at_ms           bigint not null,
  type            text   collate "C" not null,
  -- As in the audit log.
  target          text   collate "C",
  -- Name of the key, or e-mail address of the member, that it is about; null: of neither.
  name            text,
  -- Who caused it; null: nobody, it followed from turns or from the time.
  actor_kind      text   collate "C",
  actor_id        text   collate "C",
  -- Figures and values, a JSON object, never a secret.
  data            text   not null,
  -- Of an event that is reported once: what identifies it.
  once            text   collate "C" unique
);

create index events_by_organization on events (organization_id, id);
create index events_by_time on events (at_ms);

-- The id of the newest event. Who writes one locks this row until the commit; the first writer creates it.
create table event_head (
  "only"  integer primary key check ("only" = 1),
  last_id bigint not null
);

-- What the organization had after its last top-up: credits and holds.
alter table balances add column topped_up_nano bigint not null default 0;
update balances set topped_up_nano = credits_nano + held_nano;

-- Whether a provider fails, as the nodes have last reported.
create table provider_states (
  provider text    collate "C" primary key,
  failing  integer not null check (failing in (0, 1)),
  since_ms bigint  not null
);
