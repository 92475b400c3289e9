-- Organizations that are deleted: since when, and when nothing was left to erase. Their rows stay for the books, without names.
alter table organizations add column deleted_at_ms integer;
alter table organizations add column erased_at_ms integer;

create index organizations_to_erase on organizations (deleted_at_ms) where deleted_at_ms is not null and erased_at_ms is null;

-- 1: the entry's values were erased, because its organization is deleted. The entry that says so has a hash over what is left.
alter table audit_log add column redacted integer not null default 0 check (redacted in (0, 1));

-- Values may be taken out of an entry, once; nothing else of it ever changes.
drop trigger audit_log_never_changes;
create trigger audit_log_never_changes before update on audit_log
  when not coalesce(old.redacted = 0 and new.redacted = 1 and new.before is null and new.after is null
            and new.id = old.id and new.organization_id = old.organization_id and new.at_ms = old.at_ms
            and new.actor_kind = old.actor_kind and new.actor_id = old.actor_id and new.action = old.action
            and new.target is old.target and new.hash = old.hash, 0)
begin
  select raise(abort, 'the audit log is append-only');
end;
