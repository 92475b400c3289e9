-- compatible: yes. The column may be null; a release before it neither reads nor writes it.
-- What reading tokens from caches saved the response, nano-credits, for the lines of usage by label; null: it ran, or was settled, before.
alter table responses add column saved_nano bigint;
