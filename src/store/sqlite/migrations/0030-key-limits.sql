-- compatible: yes. A nullable column, which the former release neither reads nor writes: on its nodes these limits do not hold yet.
-- The limits of a key itself, as JSON; null: none.
alter table api_keys add column limits text;
