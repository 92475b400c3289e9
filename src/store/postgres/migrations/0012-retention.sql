-- How many days after its last use a history is kept; null: as long as the service keeps it.
alter table organizations add column retention_days integer check (retention_days > 0);

-- In the row of a root: when a turn ended in its history last, or a client added items, to the hour. When the histories of before were used
-- last is not known: their age counts from now.
alter table threads add column used_at_ms bigint not null default (extract(epoch from now()) * 1000)::bigint;
alter table threads alter column used_at_ms drop default;
-- 0: nothing of a root's history is to be kept, because its retention is over; or nothing is left of it.
alter table threads add column retained integer not null default 1 check (retained in (0, 1));

update threads
   set retained = 0
 where deleted_at_ms is not null
   and metadata is null
   and root_id is null;

create index threads_retained on threads (organization_id, id) where root_id is null and retained = 1;
create index threads_expired on threads (id) where retained = 0 and metadata is not null;
