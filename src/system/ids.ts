// Generates ids: a prefix and 32 hexadecimal digits, 48 bits of time and 80 random bits. They begin with the time, so
// that new rows are appended to every index; the random bits cannot be guessed. A response needs seven ids, hence the
// pool of random digits: UUIDv7 would cost twice as much.
import { randomFillSync } from "node:crypto";
import { ID_RANDOM_DIGITS, ID_TIME_DIGITS } from "../base/id-time.ts";
import { type ConversationId, ID_PREFIXES, type IdKind, type ItemId, type ResponseId } from "../contract/ids.ts";
import type { AccountIdKind, Ids } from "../ports/ids.ts";

/** Prefixes of ids that only the management interface and the command line show. */
const ACCOUNT_ID_PREFIXES: Readonly<Record<AccountIdKind, string>> = {
  organization: "org_",
  member: "mem_",
  key: "key_",
  transaction: "txn_",
  token: "tok_",
  session: "ses_",
  increase: "inc_",
};

/** Creates a generator of random ids that sort by time of creation. */
export function createIds(): Ids {
  return { mint, mintCallId: () => mintText("call_"), mintRequestId: () => mintText("req_") };
}

/** Generates an id of an account resource. */
export function mintAccountId(kind: AccountIdKind): string {
  return mintText(ACCOUNT_ID_PREFIXES[kind]);
}

function mint(kind: "response"): ResponseId;
function mint(kind: "conversation"): ConversationId;
function mint(kind: Exclude<IdKind, "response" | "conversation">): ItemId;
function mint(kind: IdKind): string {
  return mintText(ID_PREFIXES[kind]);
}

/** Random digits of the next ids; each digit is used once. */
const random = Buffer.alloc((ID_RANDOM_DIGITS / 2) * 256);
let randomDigits = "";
let used = 0;
let lastMs = 0;
let timeDigits = "";

/** Uses `join` instead of `+`: JSON.stringify is slow for concatenated strings (docs/decisions/performance.md). */
function mintText(prefix: string): string {
  if (used === randomDigits.length) {
    randomDigits = randomFillSync(random).toString("hex");
    used = 0;
  }
  const nowMs = Date.now();
  if (nowMs !== lastMs) {
    lastMs = nowMs;
    timeDigits = nowMs.toString(16).padStart(ID_TIME_DIGITS, "0");
  }
  const from = used;
  used += ID_RANDOM_DIGITS;
  return [prefix, timeDigits, randomDigits.slice(from, used)].join("");
}
