-- Money that moves: holds, charges, budgets, spend. Amounts are integer nano-credits; days are UTC days counted from 1970-01-01.

-- The ledger: double entry, append-only --------------------------------------------------------------------------------
--
-- Each organization has five accounts: `credits` (what it may still spend), `held` (set aside for running responses), `charged`
-- (what it has spent), and against them `topups` (what was paid in) and `shortfall` (charges beyond hold and balance, which the
-- service bears). A transfer moves an amount from one account to another, so every posting sums to zero by its shape, and
-- credits + held + charged = topups + shortfall at every moment.

create table balances (
  organization_id text    not null unique references organizations (id),
  credits_nano    integer not null default 0 check (credits_nano >= 0),
  held_nano       integer not null default 0 check (held_nano >= 0),
  charged_nano    integer not null default 0 check (charged_nano >= 0),
  topups_nano     integer not null default 0,
  shortfall_nano  integer not null default 0 check (shortfall_nano >= 0),
  check (credits_nano + held_nano + charged_nano = topups_nano + shortfall_nano)
) strict;

-- A turn writes three of these rows: sets are checked by `case`, which costs a third of `in`, and that there is such an organization
-- is vouched for by the balance that each posting changes.
create table ledger_transfers (
  id              integer primary key,
  organization_id text    not null,
  -- topup: topups → credits. hold (at begin) and extend (while it runs): credits → held. shortfall: shortfall → held.
  -- settle: held → charged, and release, what is left of the hold: held → credits. void, nothing was charged: held → credits.
  kind            text    not null check (case kind when 'topup' then 1 when 'hold' then 1 when 'extend' then 1 when 'shortfall' then 1
                                                    when 'settle' then 1 when 'release' then 1 when 'void' then 1 else 0 end),
  from_account    text    not null check (case from_account when 'credits' then 1 when 'held' then 1 when 'topups' then 1
                                                            when 'shortfall' then 1 else 0 end),
  to_account      text    not null check (case to_account when 'credits' then 1 when 'held' then 1 when 'charged' then 1 else 0 end),
  amount_nano     integer not null check (amount_nano > 0),
  -- Of a top-up: the name it can be repeated by.
  public_id       text,
  -- Of every other kind.
  response_id     text,
  created_at      integer not null
) strict;

create unique index ledger_transfers_by_public_id on ledger_transfers (public_id) where public_id is not null;
-- Charging twice is a constraint violation: one hold, and one settlement or voiding.
create unique index ledger_transfers_hold_once on ledger_transfers (response_id) where kind = 'hold';
create unique index ledger_transfers_close_once on ledger_transfers (response_id) where kind in ('settle', 'void');

create trigger ledger_transfers_never_change before update on ledger_transfers
begin
  select raise(abort, 'the ledger is append-only');
end;

create trigger ledger_transfers_never_go before delete on ledger_transfers
begin
  select raise(abort, 'the ledger is append-only');
end;

insert into balances (organization_id, credits_nano, topups_nano)
select organization_id, balance_nano, balance_nano
  from ledger_accounts
 where kind = 'credits';

insert into ledger_transfers (organization_id, kind, from_account, to_account, amount_nano, public_id, created_at)
select account.organization_id, 'topup', 'topups', 'credits', entry.amount_nano, posting.public_id, posting.created_at
  from ledger_entries entry
  join ledger_transactions posting on posting.id = entry.transaction_id
  join ledger_accounts account on account.id = entry.account_id
 where account.kind = 'credits'
 order by entry.id;

drop table ledger_entries;
drop table ledger_transactions;
drop table ledger_accounts;
drop table holds;
drop table budgets;

-- What a response costs ------------------------------------------------------------------------------------------------

-- The member whose key made it, as it was then; null: the key is nobody's.
alter table responses add column member_id text;
-- The UTC day that it counts to, for budgets and usage: the day it began.
alter table responses add column billing_day integer;
-- Price snapshot, as JSON; null: the model is free.
alter table responses add column prices text;
alter table responses add column held_nano integer not null default 0;
-- Null until it has ended.
alter table responses add column charged_nano integer;

update responses set billing_day = created_at / 86400;
update responses set charged_nano = 0 where completed_at is not null;

-- Spend by key, member, model and day: a sum over ended responses, kept with each settlement.
create table usage_by_day (
  organization_id    text    not null references organizations (id),
  day                integer not null,
  key_id             text    not null references api_keys (id),
  -- Empty: the key is nobody's.
  member_id          text    not null,
  model              text    not null,
  responses          integer not null,
  input_tokens       integer not null,
  cached_tokens      integer not null,
  cache_write_tokens integer not null,
  output_tokens      integer not null,
  reasoning_tokens   integer not null,
  charged_nano       integer not null,
  unique (organization_id, day, key_id, member_id, model)
) strict;

-- What a key or a member has spent, for the budgets of one.
create index usage_by_key on usage_by_day (organization_id, key_id, day);
create index usage_by_member on usage_by_day (organization_id, member_id, day);

insert into usage_by_day
select organization_id, billing_day, key_id, '', model, count(*), sum(coalesce(input_tokens, 0)), sum(coalesce(cached_tokens, 0)),
       sum(coalesce(cache_write_tokens, 0)), sum(coalesce(output_tokens, 0)), sum(coalesce(reasoning_tokens, 0)), 0
  from responses
 where completed_at is not null
 group by organization_id, billing_day, key_id, model;

-- Budgets ---------------------------------------------------------------------------------------------------------------

create table budgets (
  id              integer primary key,
  organization_id text    not null references organizations (id),
  scope           text    not null check (scope in ('organization', 'organization-day', 'member', 'key', 'response')),
  -- Id of the member or key; of the organization for the other scopes.
  scope_id        text    not null,
  -- `day` for organization-day; `total` for response, which is counted for each response by itself.
  period          text    not null check (period in ('day', 'month', 'total')),
  limit_nano      integer not null check (limit_nano >= 0),
  unique (organization_id, scope, scope_id, period)
) strict;

-- What counts against a budget in one of its periods; none for the scope response.
create table budget_periods (
  budget_id   integer not null references budgets (id) on delete cascade,
  -- First day of the period; 0 for total.
  period_from integer not null,
  spent_nano  integer not null default 0 check (spent_nano >= 0),
  held_nano   integer not null default 0 check (held_nano >= 0),
  primary key (budget_id, period_from)
) strict, without rowid;
