-- compatible: yes. A table that triggers fill, for deletions by the former release too, and a nullable column that counts only beside the newest response.
-- Sums of a thread's deleted items, by 1,024 positions: the size of a view is found without reading all of them (histories/threads.ts).
create table deleted_sums (
  thread_id bigint not null,
  block     bigint not null,
  size      bigint not null,
  turns     bigint not null,
  primary key (thread_id, block)
);

create function sum_deleted_item() returns trigger language plpgsql set search_path from current as $$
begin
  insert into deleted_sums as sums (thread_id, block, size, turns)
  values (new.thread_id, new.position / 1024,
          case when old.deleted_at_ms is null then new.size else 0 end,
          new.opens_turn - case when old.deleted_at_ms is null then 0 else old.opens_turn end)
  on conflict (thread_id, block) do update
     set size  = sums.size + excluded.size,
         turns = sums.turns + excluded.turns;
  return null;
end
$$;

create trigger items_sum_deleted after update of deleted_at_ms, opens_turn on items
  for each row
  when (new.deleted_at_ms is not null and new.position is not null)
  execute function sum_deleted_item();

-- After the trigger, whose creation waits for the transactions that delete and holds off later ones: no deletion is missed.
insert into deleted_sums (thread_id, block, size, turns)
select thread_id, position / 1024, sum(size), sum(opens_turn)
  from items
 where deleted_at_ms is not null
   and position is not null
 group by thread_id, position / 1024;

-- The responses at its end that none has continued, oldest first: a JSON array of [rowid, last position, turn id]. It counts
-- while its last one is `latest_response`; otherwise, and when it is null, they have to be found (histories/open-ends.ts).
alter table threads add column open_ends text collate "C";

-- A deleted response may have continued others.
create function reopen_ends() returns trigger language plpgsql set search_path from current as $$
begin
  update threads set open_ends = null where id = new.thread_id;
  return null;
end
$$;

create trigger responses_reopen_ends after update of deleted_at_ms on responses
  for each row
  when (new.deleted_at_ms is not null)
  execute function reopen_ends();
-- cspell:ignore plpgsql
