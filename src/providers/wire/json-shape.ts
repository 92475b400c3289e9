// Reading unchecked JSON: each function returns a value of the expected shape, or null.
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { holdsSecret } from "./secrets.ts";

/** The alternative with index 0, or without an index; null if there is none. Others are never requested. */
export function findAlternative(list: unknown): JsonObject | null {
  if (!Array.isArray(list)) return null;
  return list.filter(isJsonObject).find(({ index }) => typeof index !== "number" || index === 0) ?? null;
}

/** A non-empty string, else null. */
export function readText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** An index, which some servers send as digits in a string; null for anything else. */
export function readIndex(value: unknown): number | null {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : null;
}

/** Whether the value of `error` says that there is one: some servers send `{}`, `""` or `false` with every reply. */
export function saysError(value: unknown): boolean {
  const said = isJsonObject(value) ? Object.values(value) : [value];
  return said.some((one) => one !== undefined && one !== null && one !== "" && one !== false && one !== 0);
}

/** The HTTP status of an error that a code repeats, as a number or a text; null if it is none. */
export function readErrorStatus(code: unknown): number | null {
  const status = typeof code === "string" && /^\d{3}$/.test(code) ? Number(code) : code;
  return typeof status === "number" && Number.isInteger(status) && status >= 400 && status < 600 ? status : null;
}

/** Whether an object that is no reply is an error: `{error}`, or `{message, code: 429}`. */
export function isBareError({ error, code }: JsonObject): boolean {
  return saysError(error) || readErrorStatus(code) !== null;
}

const REQUEST_ID_CHARACTERS_MAX = 200;

/**
 * A provider's id of a request, as it can be stored and logged: its printable ASCII characters, 200 at most; null without any, and for
 * one that holds a secret.
 */
export function readRequestId(value: unknown, secrets: readonly string[]): string | null {
  const id = readText(value)
    ?.slice(0, REQUEST_ID_CHARACTERS_MAX)
    .replaceAll(/[^!-~]/g, "");
  return id === undefined || holdsSecret(id, secrets) ? null : readText(id);
}

/** Larger counts are wrong: no model has a window of a billion tokens, and the ledger must not charge for them. */
const COUNT_MAX = 1_000_000_000;

/** A plausible count of tokens, else null. */
export function readCount(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= COUNT_MAX ? value : null;
}
