-- Items by position without the deleted ones: a page, a window or the next item after a deletion would otherwise walk through all of them, and
-- a client can delete hundreds of thousands. Deleted items are found by items_deleted.
drop index items_by_position;
create unique index items_by_position on items (thread_id, position) where position is not null and deleted_at_ms is null;
