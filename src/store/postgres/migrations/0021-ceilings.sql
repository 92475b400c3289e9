-- compatible: yes. The former release reads what is in force and passes over the new columns.
-- What the operator and the organization itself have set, as JSON; policy, limits and retention_days are what is in force.
alter table organizations add column rules text collate "C";
-- The limits that the operator and the organization have set; limit_nano is the lower one. Both null: set before this release.
alter table budgets add column ceiling_nano bigint check (ceiling_nano >= 0);
alter table budgets add column own_limit_nano bigint check (own_limit_nano >= 0);
-- 1: the operator has set the raise, which may go beyond the ceiling.
alter table budgets add column raised_by_operator integer not null default 0 check (raised_by_operator in (0, 1));
