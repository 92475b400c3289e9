-- compatible: yes. A nullable column and a wider check, which the former release neither reads nor breaks: on its nodes these limits do not hold yet.
-- The limits of a key itself, as JSON; null: none.
alter table api_keys add column limits text collate "C";

-- An allowance is that of an organization, or of the key whose id stands in organization_id. One of tokens is in debt
-- (below 0) when turns used more than was estimated.
alter table allowances
  drop constraint allowances_class_check,
  add constraint allowances_class_check check (class in ('create', 'retrieve', 'delete', 'tokens'));
