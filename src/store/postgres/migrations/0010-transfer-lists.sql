-- Top-ups of an organization, and the transfers of a response that no unique index has: those of its hold, and of its settlement or voiding, are found
-- by theirs. All transfers of an organization are read from the table itself, a limited number at a time.
create index ledger_transfers_topups on ledger_transfers (organization_id, id) where kind = 'topup';
create index ledger_transfers_between on ledger_transfers (response_id) where kind in ('extend', 'shortfall', 'release');
