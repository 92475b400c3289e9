-- The log of turns: an organization's turns and a key's by time, each with its place in the table. A member's are those of the member's keys.
-- The turns that did not complete are few, and looked for. What a page is filtered by is in the index, so that it reads no rows of other turns.
create index responses_by_organization on responses (organization_id, created_at, id, model);
create index responses_by_key on responses (key_id, created_at, id, model);
create index responses_unsuccessful on responses (organization_id, created_at, id, status, failure_code, key_id, member_id, model)
 where status in ('failed', 'incomplete', 'cancelled');
