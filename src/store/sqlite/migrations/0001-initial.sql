-- The first schema. Frozen: a later change is a new file. Times are Unix seconds unless their name ends in _at_ms; money is
-- integer nano-credits. Content (head, ending, provider_state, body, call_id,
-- metadata) is null once it has been erased.

pragma application_id = 1416983150;

-- Accounts ------------------------------------------------------------------------------------------------------------

create table organizations (
  id             text    not null unique,
  name           text    not null unique,
  plan           integer not null default 0 check (plan in (0, 1)),
  payment_method integer not null default 0 check (payment_method in (0, 1)),
  suspended      integer not null default 0 check (suspended in (0, 1)),
  policy         text    not null,
  limits         text    not null,
  created_at     integer not null
) strict;

create table members (
  id              text    not null unique,
  organization_id text    not null references organizations (id),
  email           text    not null,
  role            text    not null check (role in ('owner', 'admin', 'member')),
  created_at      integer not null,
  unique (organization_id, email)
) strict;

create table api_keys (
  id              text    not null unique,
  organization_id text    not null references organizations (id),
  member_id       text             references members (id) on delete set null,
  name            text    not null,
  permission      text    not null check (permission in ('all', 'read', 'none')),
  created_at      integer not null,
  revoked_at      integer
) strict;

create index api_keys_by_organization on api_keys (organization_id);
create index api_keys_by_member on api_keys (member_id);

create table key_secrets (
  lookup        text    not null unique,
  key_id        text    not null references api_keys (id),
  hash          text    not null,
  -- Null: the key's current secret.
  expires_at_ms integer
) strict;

create index key_secrets_by_key on key_secrets (key_id);
create index key_secrets_expiring on key_secrets (expires_at_ms) where expires_at_ms is not null;

-- Histories -----------------------------------------------------------------------------------------------------------

create table threads (
  id              integer primary key,
  -- Null: a private thread, reached through its responses only.
  public_id       text,
  organization_id text    not null,
  key_id          text    not null,
  -- The thread that the first ancestor is, whose tombstone reaches every branch; null: this one.
  root_id         integer,
  -- Stretches of other threads that stand before its own items: [[thread id, up to position], ...].
  lineage         text    not null,
  head_position   integer not null default 0,
  -- Sizes of all its own items and how many of them open a turn, deleted ones too.
  size_total      integer not null default 0,
  turns_total     integer not null default 0,
  -- The last live response that entered it.
  latest_response integer,
  created_at      integer not null,
  -- Labels of a conversation; null in a private thread, and once erased.
  metadata        text,
  deleted_at_ms   integer
) strict;

create unique index threads_by_public_id on threads (public_id) where public_id is not null;
create index threads_by_root on threads (root_id) where root_id is not null;
create index threads_to_erase on threads (deleted_at_ms) where deleted_at_ms is not null and metadata is not null;

create table responses (
  id                   integer primary key,
  public_id            text    not null unique,
  organization_id      text    not null,
  key_id               text    not null,
  thread_id            integer not null references threads (id),
  status               text    not null,
  -- The process that runs it.
  owner                integer not null,
  -- The idempotency key that made it, for a withdrawal to free.
  claim_id             integer,
  model                text    not null,
  turn_id              text    not null,
  previous_response_id text,
  -- Where its thread ended when it began: what it has seen of it.
  seen_head            integer not null,
  -- Whether it starts a branch when another response has entered the thread meanwhile.
  may_fork             integer not null,
  created_at           integer not null,
  dispatched_at_ms     integer,
  completed_at         integer,
  -- Its items' positions, input first; null until it has entered its thread. A failed one never does.
  first_position       integer,
  last_position        integer,
  input_tokens         integer,
  cached_tokens        integer,
  cache_write_tokens   integer,
  output_tokens        integer,
  reasoning_tokens     integer,
  total_tokens         integer,
  deleted_at_ms        integer,
  head                 text,
  -- What its end says besides output and usage.
  ending               text,
  provider_state       text
) strict;

create index responses_by_thread on responses (thread_id, last_position);
create index responses_by_previous on responses (previous_response_id) where previous_response_id is not null;
create index responses_later_rounds on responses (turn_id) where turn_id <> public_id;
create index responses_running on responses (created_at) where completed_at is null;
create index responses_to_erase on responses (deleted_at_ms) where deleted_at_ms is not null and head is not null;

create table items (
  id            integer primary key,
  public_id     text    not null,
  thread_id     integer not null references threads (id),
  -- Counted from 1 in its thread; null for output that no history holds: of a failed response, or a call cut short.
  position      integer,
  -- Public id of its response (a list shows no more of it); null when a client added the item.
  response_id   text,
  -- Place in its response's output; null for input.
  ordinal       integer,
  kind          text    not null,
  call_id       text,
  opens_turn    integer not null,
  carried       integer not null,
  -- Characters it counts towards the window; then sums over its thread up to and with it, like the thread's.
  size          integer not null,
  size_total    integer not null,
  turns_total   integer not null,
  deleted_at_ms integer,
  body          text,
  -- Thread first: a new item's entry lies near its neighbours', where a random id alone would touch a page of its own.
  unique (thread_id, public_id)
) strict;

create unique index items_by_position on items (thread_id, position) where position is not null;
create index items_by_call on items (thread_id, call_id) where call_id is not null;
create index items_aside on items (response_id, ordinal) where position is null;
create index items_deleted on items (thread_id, position, size, opens_turn) where deleted_at_ms is not null;
create index items_to_erase on items (deleted_at_ms) where deleted_at_ms is not null and body is not null;

create table claims (
  id              integer primary key,
  organization_id text    not null,
  endpoint        text    not null,
  key             text    not null,
  fingerprint     text    not null,
  key_id          text    not null,
  claimed_at_ms   integer not null,
  made_kind       text    not null check (made_kind in ('response', 'conversation', 'items')),
  made_id         text    not null,
  streamed        integer,
  item_ids        text,
  unique (organization_id, endpoint, key)
) strict;

create index claims_by_age on claims (claimed_at_ms);

-- Money: double entry, append-only -----------------------------------------------------------------------------------

create table ledger_accounts (
  id              integer primary key,
  -- Null: one of the service's own accounts.
  organization_id text             references organizations (id),
  kind            text    not null check (kind in ('credits', 'held', 'topups', 'revenue')),
  -- The sum of its entries, kept with each posting.
  balance_nano    integer not null default 0
) strict;

create unique index ledger_accounts_of_organization on ledger_accounts (organization_id, kind) where organization_id is not null;
create unique index ledger_accounts_of_service on ledger_accounts (kind) where organization_id is null;

insert into ledger_accounts (organization_id, kind) values (null, 'topups'), (null, 'revenue');

create table ledger_transactions (
  id          integer primary key,
  public_id   text    not null unique,
  kind        text    not null check (kind in ('topup', 'hold', 'settle', 'void')),
  response_id text,
  created_at  integer not null
) strict;

-- Charging twice is a constraint violation.
create unique index ledger_transactions_once on ledger_transactions (response_id, kind) where response_id is not null;

create table ledger_entries (
  id             integer primary key,
  transaction_id integer not null references ledger_transactions (id),
  account_id     integer not null references ledger_accounts (id),
  amount_nano    integer not null
) strict;

create index ledger_entries_by_transaction on ledger_entries (transaction_id);
create index ledger_entries_by_account on ledger_entries (account_id);

create trigger ledger_entries_never_change before update on ledger_entries
begin
  select raise(abort, 'the ledger is append-only');
end;

create trigger ledger_entries_never_go before delete on ledger_entries
begin
  select raise(abort, 'the ledger is append-only');
end;

create table holds (
  response_id     text    not null unique,
  organization_id text    not null references organizations (id),
  key_id          text    not null references api_keys (id),
  amount_nano     integer not null check (amount_nano >= 0),
  -- Null while it is open.
  closed_at_ms    integer
) strict;

create index holds_open on holds (organization_id) where closed_at_ms is null;

create table budgets (
  scope_kind  text    not null check (scope_kind in ('organization', 'member', 'key')),
  scope_id    text    not null,
  period      text    not null check (period in ('day', 'month', 'total')),
  limit_nano  integer not null check (limit_nano >= 0),
  -- The period that the two sums below belong to, as its first UTC day.
  period_from text    not null,
  spent_nano  integer not null default 0,
  held_nano   integer not null default 0,
  unique (scope_kind, scope_id, period)
) strict;
