// The numbers that our own pages promise, beside those of the specification's table (catalogue.test.ts).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as limits from "../../src/contract/limits.ts";
import * as manage from "../../src/contract/manage/limits.ts";

const KIB = 1024;

/** A page and, for each sentence with numbers, what they are in the contract; `#` stands for a number. */
const PROMISES: Readonly<Record<string, readonly (readonly [sentence: string, numbers: readonly number[]])[]>> = {
  "docs/wire.md": [
    ["timeouts of slow senders: # s headers, # s body", [limits.HEADERS_TIMEOUT_SECONDS, limits.BODY_TIMEOUT_SECONDS]],
    ["body over the limit (default # MiB, configurable)", [limits.DEFAULT_LIMITS.body_bytes / KIB / KIB]],
    ["or of more than # values (strings, numbers, literals, arrays, objects", [limits.JSON_VALUES_MAX]],
    [
      "JSON nested deeper than # levels, half a surrogate pair, a number of more than # characters in a JSON schema",
      [limits.JSON_DEPTH_MAX, limits.JSON_NUMBER_CHARACTERS_MAX],
    ],
  ],
  "docs/architecture.md": [["A slow reader is bounded (# MiB)", [limits.SLOW_READER_BYTES_MAX / KIB / KIB]]],
  "docs/management.md": [
    ["valid for # hours. Redeeming it", [manage.SIGN_IN_LINK_HOURS]],
    ["with a `password` (# characters or more)", [manage.PASSWORD_CHARACTERS_MIN]],
    ["# hours without use, after # days", [manage.SESSION_IDLE_HOURS, manage.SESSION_ABSOLUTE_HOURS / 24]],
    [
      "# a minute per network address and e-mail address, # per network address, and # per e-mail address",
      [manage.SIGN_INS_PER_MINUTE, manage.SIGN_INS_PER_ADDRESS_MINUTE, manage.SIGN_INS_PER_EMAIL_MINUTE],
    ],
    ["A body has at most # KiB", [manage.MANAGE_BODY_BYTES_MAX / KIB]],
  ],
};

for (const [page, promises] of Object.entries(PROMISES)) {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8").replaceAll(/\s+/g, " ");
  for (const [sentence, numbers] of promises) {
    test(`${page}: ${sentence}`, () => {
      const pattern = sentence
        .split("#")
        .map((words) => RegExp.escape(words))
        .join("([\\d,]+)");
      const [, ...written] = new RegExp(pattern).exec(text) ?? assert.fail(`${page} has no such sentence`);
      assert.deepEqual(
        written.map((number) => Number(number.replaceAll(",", ""))),
        numbers,
      );
    });
  }
}
