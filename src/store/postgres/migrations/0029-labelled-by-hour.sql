-- compatible: yes. An index, which is built while nodes of the former release serve.
-- For the lines of usage of a day (money/usage-lines.ts), page by page.
create index responses_labelled_by_hour
    on responses (organization_id, billing_hour, key_id, model, label, member_id)
 where label is not null
   and completed_at is not null;
