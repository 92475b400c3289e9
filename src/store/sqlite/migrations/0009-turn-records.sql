-- What the log of turns says about an end. No content: it stays when the content is erased. Durations are milliseconds since the turn began.

-- Of a failed turn.
alter table responses add column failure_code text;
-- Until it had its slot. Null, like the columns below: it ended in the queue, or was settled without its run.
alter table responses add column queue_ms integer;
alter table responses add column first_output_ms integer;
alter table responses add column duration_ms integer;
-- How often its provider was called, and what the last response said.
alter table responses add column attempts integer;
alter table responses add column provider_status integer;
alter table responses add column provider_request_id text;
