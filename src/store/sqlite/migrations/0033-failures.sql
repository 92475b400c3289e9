-- compatible: yes. A new table and nullable columns, which the former release neither reads nor writes.
-- Failed creates by hour, however their failure was delivered.
create table failures_by_hour (
  id              integer primary key,
  organization_id text    not null,
  -- UTC hours since 1970.
  hour            integer not null,
  kind            text    not null,
  code            text    not null,
  -- Empty: not known.
  model           text    not null,
  provider        text    not null,
  -- An engine with several writers divides a row in parts, which add up to it.
  part            integer not null,
  failures        integer not null,
  unique (organization_id, hour, kind, code, model, provider, part)
) strict;

create index failures_by_time on failures_by_hour (hour);
-- What a rejected create asked for, and what its provider said.
alter table rejections add column model text;
alter table rejections add column provider text;
alter table rejections add column provider_status integer;
alter table rejections add column provider_request_id text;
