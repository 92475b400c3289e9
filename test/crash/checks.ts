// Checks after every crash and at the end.
import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { createSystemClock } from "../../src/system/clock.ts";
import type { FakeProvider } from "../support/fake-provider.ts";
import type { Client, ClientWorld, Intent } from "./client.ts";
import { ask, type Loose } from "./exchange.ts";
import type { Violations } from "./violations.ts";

/** Checks the database as the crash left it, in a copy: recovering the original is the service's work. */
export function checkFiles(folder: string, violations: Violations): void {
  const copy = join(folder, "copy.db");
  if (!existsSync(join(folder, "turngate.db"))) return;
  for (const suffix of ["", "-wal"]) {
    const file = join(folder, `turngate.db${suffix}`);
    if (existsSync(file)) copyFileSync(file, `${copy}${suffix}`);
    else if (suffix !== "") new DatabaseSync(copy).close();
  }
  const database = new DatabaseSync(copy);
  try {
    const [verdict] = database.prepare("pragma integrity_check").all();
    violations.require(
      verdict?.["integrity_check"] === "ok",
      "I-45",
      () => `integrity_check: ${JSON.stringify(verdict)}`,
    );
    const broken = database.prepare("pragma foreign_key_check").all();
    violations.require(broken.length === 0, "I-45", () => `foreign_key_check: ${JSON.stringify(broken)}`);
  } finally {
    database.close();
  }
}

/** The number of responses that are not settled. */
export function countRunning(folder: string): number {
  const database = new DatabaseSync(join(folder, "turngate.db"), { readOnly: true });
  try {
    return Number(
      database.prepare("select count(*) as count from responses where completed_at is null").get()?.["count"],
    );
  } finally {
    database.close();
  }
}

/**
 * Reconciles the books of the copy checked last: every balance, hold, charge, budget and row of usage must follow from
 * the ledger's transfers and the responses; each response is held for and settled once, at the prices stored with it.
 */
export async function checkBooks(folder: string, violations: Violations): Promise<void> {
  const path = join(folder, "copy.db");
  if (!existsSync(path)) return;
  const store = await openSqliteStore({ location: path, clock: createSystemClock() });
  try {
    const { differences, differencesFound } = await store.reconcile({ organizationId: null });
    violations.require(
      differencesFound === 0,
      "I-10",
      () =>
        `the books differ: ${differences.map(({ compared, of, recorded, expected }) => `${compared} of ${of}: ${recorded}, not ${expected}`).join("; ")}`,
    );
  } finally {
    await store.close();
  }
}

/** At the end nothing may be held, and something must have been charged. */
export function checkLedger(folder: string, violations: Violations): void {
  const database = new DatabaseSync(join(folder, "turngate.db"), { readOnly: true });
  try {
    const [row] = database.prepare("select sum(held_nano) as held, sum(charged_nano) as charged from balances").all();
    violations.require(
      row?.["held"] === 0,
      "I-11",
      () => `${Number(row?.["held"])} nano-credits are held for no running turn`,
    );
    violations.require(Number(row?.["charged"]) > 0, "I-12", () => "no turn was charged");
  } finally {
    database.close();
  }
}

/** Each of these responses must exist, settled and as a client last saw it. */
export async function checkResponses(ids: Iterable<string>, services: ClientWorld): Promise<void> {
  const { baseUrl, apiKey, memory, violations } = services;
  for (const id of ids) {
    const { status, text } = await ask({ baseUrl, apiKey, method: "GET", path: `/v1/responses/${id}` });
    if (status !== 200) {
      violations.add("I-01", `${id} was heard of, and is now ${status}: ${text}`);
      continue;
    }
    const response = JSON.parse(text);
    memory.hear(response, "a retrieve said");
    violations.require(response.completed_at !== null, "I-04", () => `${id} is ${response.status} after a restart`);
  }
}

/** No key may have reached the provider twice. */
export function checkProviderCalls(provider: FakeProvider, violations: Violations): void {
  const calls = new Map<string, number>();
  for (const { body } of provider.calls) {
    // The user's text, or the last tool's output.
    const lastText = String(body.messages.at(-1)?.content ?? "");
    const key = /key-\d+-\d+\./.exec(lastText)?.[0];
    if (key === undefined) violations.add("I-09", `a call without a key: ${lastText}`);
    else calls.set(key, (calls.get(key) ?? 0) + 1);
  }
  for (const [key, count] of calls) {
    violations.require(count === 1, "I-05", () => `the provider was asked ${count} times for ${key}`);
  }
}

/** A conversation must contain the results of its client's intents, complete, in order, and nothing else. */
export async function checkConversation(client: Client, services: ClientWorld): Promise<void> {
  const { conversation } = client;
  if (conversation === null) return;
  const expected = client.log.filter(({ isListed }) => isListed).flatMap(itemsOf);
  const listed = (await listAll(conversation, services)).map(describeItem);
  const first = expected.findIndex((item, index) => item !== listed[index]);
  const difference = first === -1 ? (listed.length === expected.length ? null : expected.length) : first;
  services.violations.require(difference === null, "I-24", () => {
    const at = difference ?? 0;
    const near = (items: readonly string[]) => JSON.stringify(items.slice(Math.max(0, at - 2), at + 3));
    return `${conversation} differs from item ${at} on: expected … ${near(expected)}, listed … ${near(listed)}`;
  });
}

function itemsOf({ kind, body, result }: Intent): string[] {
  if (result === null || result.status === "failed") return [];
  if (kind === "items" || kind === "conversation") return body.items.map(({ content }: Loose) => `user: ${content}`);
  const input: string = kind === "answer" ? `output: ${body.input[0].output}` : `user: ${body.input}`;
  return [input, ...result.output.map(({ id }: Loose) => id)];
}

function describeItem(item: Loose): string {
  if (item.type === "function_call_output") return `output: ${item.output}`;
  return item.role === "user" ? `user: ${item.content[0].text}` : item.id;
}

async function listAll(conversation: string, { baseUrl, apiKey, violations }: ClientWorld): Promise<Loose[]> {
  const items: Loose[] = [];
  for (let after = ""; ; ) {
    const path = `/v1/conversations/${conversation}/items?limit=500${after === "" ? "" : `&after=${after}`}`;
    const { status, text } = await ask({ baseUrl, apiKey, method: "GET", path });
    if (status !== 200) {
      violations.add("I-01", `${conversation} was made, and its list is now ${status}: ${text}`);
      return items;
    }
    const page = JSON.parse(text);
    items.push(...page.data);
    if (!page.has_more) return items;
    after = page.last_id;
  }
}
