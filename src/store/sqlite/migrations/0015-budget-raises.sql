-- A budget raised for a while: an additional amount, which counts until its end by the store's clock.
alter table budgets add column raise_nano integer not null default 0 check (raise_nano >= 0);
alter table budgets add column raise_until_ms integer;
