-- Usage by hour instead of by day. What was counted before belongs to the first hour of its day.
alter table responses add column billing_hour bigint;

create table usage_by_hour (
  rowid              bigint not null generated always as identity unique,
  organization_id    text   collate "C" not null references organizations (id),
  -- UTC hours since 1970.
  hour               bigint not null,
  key_id             text   collate "C" not null references api_keys (id),
  -- Empty: the key is nobody's.
  member_id          text   collate "C" not null,
  model              text   collate "C" not null,
  -- A row is divided in parts, which add up to it: commits at the same time rarely wait for the same one.
  part               bigint not null,
  responses          bigint not null,
  input_tokens       bigint not null,
  cached_tokens      bigint not null,
  cache_write_tokens bigint not null,
  output_tokens      bigint not null,
  reasoning_tokens   bigint not null,
  charged_nano       bigint not null,
  unique (organization_id, hour, key_id, member_id, model, part)
) with (fillfactor = 50);

insert into usage_by_hour (organization_id, hour, key_id, member_id, model, part, responses, input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, charged_nano)
select organization_id, day * 24, key_id, member_id, model, 0, responses, input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, charged_nano
  from usage_by_day
 order by rowid;

drop table usage_by_day;

-- What a key or a member has spent, for the budgets of one.
create index usage_by_key on usage_by_hour (organization_id, key_id, hour);
create index usage_by_member on usage_by_hour (organization_id, member_id, hour);
