-- compatible: yes. The column has a default, and the former release neither reads nor writes it.
-- What reading tokens from providers' caches saved, nano-credits: cached tokens at the difference of the prices of input and of cached input.
alter table usage_by_hour add column saved_nano bigint not null default 0;
