-- Of an answer to the calls of several responses: those after the first, as a JSON array of their rowids. Null of any other response.
alter table responses add column also_answers text;
