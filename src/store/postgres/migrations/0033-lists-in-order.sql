-- compatible: yes. Indexes.
-- For the pages of keys and tokens, and for what an organization may have of them.
drop index api_keys_by_organization;
create index api_keys_in_order on api_keys (organization_id, created_at, rowid);
create index api_keys_live on api_keys (organization_id) where revoked_at is null;
drop index admin_tokens_by_organization;
create index admin_tokens_in_order on admin_tokens (created_at, rowid);
create index admin_tokens_of_organization on admin_tokens (organization_id, created_at, rowid);
create index admin_tokens_of_maker on admin_tokens (created_by_id, created_at, rowid);
create index admin_tokens_live on admin_tokens (organization_id, expires_at) where revoked_at is null;
create index admin_tokens_live_of_maker on admin_tokens (created_by_id, expires_at) where revoked_at is null;
