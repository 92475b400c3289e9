-- Usage by hour instead of by day. What was counted before belongs to the first hour of its day.
alter table responses add column billing_hour integer;

create table usage_by_hour (
  organization_id    text    not null references organizations (id),
  -- UTC hours since 1970.
  hour               integer not null,
  key_id             text    not null references api_keys (id),
  -- Empty: the key is nobody's.
  member_id          text    not null,
  model              text    not null,
  -- An engine with several writers divides a row in parts, which add up to it.
  part               integer not null,
  responses          integer not null,
  input_tokens       integer not null,
  cached_tokens      integer not null,
  cache_write_tokens integer not null,
  output_tokens      integer not null,
  reasoning_tokens   integer not null,
  charged_nano       integer not null,
  unique (organization_id, hour, key_id, member_id, model, part)
) strict;

insert into usage_by_hour
select organization_id, day * 24, key_id, member_id, model, 0, responses, input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, charged_nano
  from usage_by_day
 order by rowid;

drop table usage_by_day;

-- What a key or a member has spent, for the budgets of one.
create index usage_by_key on usage_by_hour (organization_id, key_id, hour);
create index usage_by_member on usage_by_hour (organization_id, member_id, hour);
