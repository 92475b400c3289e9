-- Of an answer to calls: the response that made them, in the same thread. Null of every other response, and of an answer in a branch.
alter table responses add column answers_id integer;
-- Public id of the user turn that went on without the outputs of its calls. They are closed, unless that turn failed or was taken back.
alter table responses add column calls_closed_by text;
-- Whether an answer to its calls was deleted: their outputs may be sent again, and nobody has to.
alter table responses add column calls_excused integer not null default 0;

-- A call is answered once: of the answers to a response's calls one runs at a time.
create unique index responses_answering on responses (thread_id, answers_id) where completed_at is null and answers_id is not null;

-- What becomes of a user turn while calls wait, where its request does not say.
alter table api_keys add column unanswered_calls text not null default 'refuse' check (unanswered_calls in ('refuse', 'drop'));
