-- A call and its outputs by their places: some servers use one call_id for all their calls, and a conversation may hold thousands.
drop index items_by_call;
create index items_by_call on items (thread_id, call_id, position) where call_id is not null;
