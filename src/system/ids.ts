// Identifiers in service: a prefix and 32 hexadecimal digits, 48 bits of time and 80 random ones. They begin with the time, so that new
// rows land at the end of every index; nobody guesses the rest. A turn takes seven, hence the store of randomness: a UUIDv7 without its
// hyphens would say the same at twice the cost.
import { randomFillSync } from "node:crypto";
import { type ConversationId, ID_PREFIXES, type IdKind, type ItemId, type ResponseId } from "../contract/ids.ts";
import type { Ids } from "../ports/ids.ts";
import type { AccountIdKind } from "../ports/management.ts";

/** Prefix of each kind of id that only those who manage see. */
const ACCOUNT_ID_PREFIXES: Readonly<Record<AccountIdKind, string>> = {
  organization: "org_",
  member: "mem_",
  key: "key_",
  transaction: "txn_",
  token: "tok_",
  session: "ses_",
};

/** Ids that are random and ordered by the time they were minted. */
export function createIds(): Ids {
  return { mint, mintCallId: () => mintText("call_"), mintRequestId: () => mintText("req_") };
}

/** A new id of something that only those who manage see. */
export function mintAccountId(kind: AccountIdKind): string {
  return mintText(ACCOUNT_ID_PREFIXES[kind]);
}

function mint(kind: "response"): ResponseId;
function mint(kind: "conversation"): ConversationId;
function mint(kind: Exclude<IdKind, "response" | "conversation">): ItemId;
function mint(kind: IdKind): string {
  return mintText(ID_PREFIXES[kind]);
}

const TIME_DIGITS = 12;
const RANDOM_DIGITS = 20;

/** The random digits of the next ids; each is used once. */
const random = Buffer.alloc((RANDOM_DIGITS / 2) * 256);
let randomDigits = "";
let used = 0;
let lastMs = 0;
let timeDigits = "";

/** Joined, not added: V8 writes JSON twice as fast where no string is made of parts (docs/decisions/flat-strings.md). */
function mintText(prefix: string): string {
  if (used === randomDigits.length) {
    randomDigits = randomFillSync(random).toString("hex");
    used = 0;
  }
  const nowMs = Date.now();
  if (nowMs !== lastMs) {
    lastMs = nowMs;
    timeDigits = nowMs.toString(16).padStart(TIME_DIGITS, "0");
  }
  const from = used;
  used += RANDOM_DIGITS;
  return [prefix, timeDigits, randomDigits.slice(from, used)].join("");
}
