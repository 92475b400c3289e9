import assert from "node:assert/strict";
import test from "node:test";
import { encodeArguments } from "./arguments.ts";

test("arguments become an object without losing anything", () => {
  const rows: [string, string][] = [
    ['{"city":"Paris"}', '{"city":"Paris"}'],
    ["", "{}"],
    [" \n", "{}"],
    ["[1,2]", '{"arguments":"[1,2]"}'],
    ["null", '{"arguments":"null"}'],
    ["12345678901234567890", '{"arguments":"12345678901234567890"}'],
    ['"text"', '{"arguments":"\\"text\\""}'],
    ['{"city":"Par', '{"arguments":"{\\"city\\":\\"Par"}'],
    // Numbers beyond a double keep their digits: an id without its last digits names something else.
    [
      '{"id":12345678901234567890,"n":[0.10000000000000000555]}',
      '{"id":12345678901234567890,"n":[0.10000000000000000555]}',
    ],
    ['{"big":1e999,"small":1.50}', '{"big":1e999,"small":1.50}'],
    ['{"__proto__":{"a":1234567890123456789}}', '{"__proto__":{"a":1234567890123456789}}'],
  ];
  for (const [text, input] of rows) assert.equal(JSON.stringify(encodeArguments(text)), input);
});
