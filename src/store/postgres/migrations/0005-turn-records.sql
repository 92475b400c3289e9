-- What the log of turns says about an end. No content: it stays when the content is erased. Durations are milliseconds since the turn began.

-- Of a failed turn.
alter table responses add column failure_code text collate "C";
-- Until it had its slot. Null, like the columns below: it ended in the queue, or was settled without its run.
alter table responses add column queue_ms bigint;
alter table responses add column first_output_ms bigint;
alter table responses add column duration_ms bigint;
-- How often its provider was called, and what the last response said.
alter table responses add column attempts bigint;
alter table responses add column provider_status bigint;
alter table responses add column provider_request_id text collate "C";
