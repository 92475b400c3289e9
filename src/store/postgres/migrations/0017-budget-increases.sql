-- What holders of keys ask for: more than a budget's limit. One request of each key for a budget, until it is answered.
create table budget_increases (
  id          text   collate "C" primary key,
  budget_id   bigint not null references budgets (id) on delete cascade,
  key_id      text   collate "C" not null references api_keys (id),
  amount_nano bigint not null check (amount_nano > 0),
  at_ms       bigint not null,
  -- The end of the budget's period; null: it has none.
  until_ms    bigint,
  unique (budget_id, key_id)
);
