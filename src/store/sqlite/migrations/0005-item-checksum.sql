-- CRC-32 of the body: the text whose checksum agrees is the text that was written. Null, of items from before: it is parsed instead.
alter table items add column body_checksum integer;
