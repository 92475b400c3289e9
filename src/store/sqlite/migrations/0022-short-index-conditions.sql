-- The conditions of two indexes, as comparisons. SQLite builds a temporary table for a list of three values, each time that a statement writes to
-- the table: four times a turn.
drop index ledger_transfers_between;
create index ledger_transfers_between on ledger_transfers (response_id) where kind = 'extend' or kind = 'shortfall' or kind = 'release';
drop index responses_unsuccessful;
create index responses_unsuccessful on responses (organization_id, created_at, id, status, failure_code, key_id, member_id, model)
 where status = 'failed' or status = 'incomplete' or status = 'cancelled';
