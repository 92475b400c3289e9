-- Requests that got an error response, for people who ask why. Few of each key are kept, for a few days.
create table rejections (
  id              integer primary key,
  organization_id text    not null,
  key_id          text    not null,
  request_id      text    not null,
  at_ms           integer not null,
  operation       text    not null,
  status          integer not null,
  code            text    not null,
  param           text,
  -- Null where the message may quote the request.
  message         text,
  -- Rejected requests of the key before this one that were not kept.
  skipped         integer not null
) strict;

create index rejections_by_request on rejections (organization_id, request_id);
create index rejections_by_organization on rejections (organization_id, id, key_id);
create index rejections_by_time on rejections (at_ms);
