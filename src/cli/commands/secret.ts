// turngate secret rotate, turngate secret status: another root secret. docs/operations.md (Rotating the root secret)
import { existsSync } from "node:fs";
import type { Command } from "commander";
import { type Config, readConfig } from "../../config/config.ts";
import { formerPathOf, replaceRootSecret } from "../../config/root-secret.ts";
import { OperatorError } from "../../../packages/kit/operator-error.ts";
import type { FormerCount, FormerHash } from "../../ports/store/store.ts";
import { countOf, prints, tableOf } from "../../../packages/kit/output.ts";
import { type CommandServices, withStore } from "./with-store.ts";

export function addSecret(program: Command): void {
  const group = program
    .command("secret")
    .description("the root secret, which the hashes of keys and tokens are made with");
  group
    .command("rotate")
    .description("begin to hash keys and tokens with a new root secret, each at its next use; ends all sessions")
    .action(prints(rotate, describeRotation));
  group
    .command("status")
    .description("show which keys and tokens still need the former root secret")
    .action(prints(status, describeStatus));
}

interface Progress {
  /** Where the former root secret is; null: there is none, or none is known here. */
  readonly former: string | null;
  /** Whether the database has the current one. */
  readonly in_use: boolean;
  /** Secrets of keys. */
  readonly keys_left: number;
  readonly tokens_left: number;
}

/** A key or a token that is left. */
interface Left {
  readonly id: string;
  readonly name: string;
  readonly organization: string | null;
  readonly organization_name: string | null;
}

interface Status extends Progress {
  readonly keys: readonly Left[];
  readonly tokens: readonly Left[];
}

/** How a rotation went. */
interface Rotation extends Progress {
  /** False: it had begun before. */
  readonly rotated: boolean;
}

async function rotate(): Promise<Rotation> {
  const config = await readConfig();
  if (config.rootSecret === null) await prepareFile(config);
  else if (config.formerSecret === null) {
    throw new OperatorError(
      "TURNGATE_FORMER_SECRET is not set. Set it to the present root secret and TURNGATE_SECRET to a new one on every node, restart them, and run this again.",
    );
  }
  return withStore(async (services) => {
    const [to = "", from] = services.secrets.checkValues;
    if (from === undefined) throw new Error("a rotation without a former root secret");
    await assertAllKnow(services, to);
    const rotated = await services.store.rotateRootSecret({ by: services.by, from, to });
    // After a rotation all are left: only the status names them.
    return { rotated, ...(await readProgress(services, await services.store.countFormerHashes({ checkValue: to }))) };
  });
}

/**
 * Throws an OperatorError that names the nodes that do not know the new root secret: they would reject every key that
 * another node has hashed with it.
 */
async function assertAllKnow({ nodes }: CommandServices, to: string): Promise<void> {
  const known = (await nodes?.listNodes()) ?? [];
  const without = known.filter(
    ({ goneAtMs, isLeaseOver, rootCheck }) => goneAtMs === null && !isLeaseOver && rootCheck !== to,
  );
  if (without.length === 0) return;
  const names = without.map(({ name }) => name).join(", ");
  throw new OperatorError(
    `nodes run without the new root secret: ${names}. Restart them with TURNGATE_SECRET and TURNGATE_FORMER_SECRET as here, and run this again. Nothing was changed.`,
  );
}

/** Makes the new root secret, unless an interrupted rotation has. Throws an OperatorError where it is not this file's to do. */
async function prepareFile({ database }: Config): Promise<void> {
  if (database.engine !== "sqlite") {
    throw new OperatorError(
      "the root secret is in a file, and nodes share the database: set TURNGATE_FORMER_SECRET to the present root secret and TURNGATE_SECRET to a new one on every node, restart them, and run this again.",
    );
  }
  if (existsSync(formerPathOf(database))) return;
  // Whether the present one is the database's.
  await withStore(async () => {});
  replaceRootSecret(database);
}

function describeRotation({ rotated, ...after }: Rotation): string {
  const begun = rotated
    ? "The new root secret is in use, and all sessions have ended. A service that knows both takes it within a second, another one when it is restarted: keys and tokens are hashed anew at their next use."
    : `The rotation has begun before. Another one: first remove ${after.former}.`;
  return `${begun}\n${describeProgress(after)}`;
}

function status(): Promise<Status> {
  return withStore(readStatus);
}

async function readStatus(services: CommandServices): Promise<Status> {
  const [current = ""] = services.secrets.checkValues;
  const { keys, tokens } = await services.store.listFormerHashes({ checkValue: current });
  const left = { keys: keys.reduce((sum, { secrets }) => sum + secrets, 0), tokens: tokens.length };
  return { ...(await readProgress(services, left)), keys: keys.map(presentLeft), tokens: tokens.map(presentLeft) };
}

async function readProgress({ config, store, secrets }: CommandServices, left: FormerCount): Promise<Progress> {
  const [current = "", former] = secrets.checkValues;
  const place = config.rootSecret === null ? formerPathOf(config.database) : "TURNGATE_FORMER_SECRET";
  return {
    former: former === undefined ? null : place,
    in_use: await store.fitsSecret({ checkValue: current }),
    keys_left: left.keys,
    tokens_left: left.tokens,
  };
}

function presentLeft({ id, name, organizationId, organizationName }: FormerHash): Left {
  return { id, name, organization: organizationId, organization_name: organizationName };
}

function describeStatus(found: Status): string {
  const left = [...found.keys, ...found.tokens].map(({ id, name, organization_name: of }) => ({
    id,
    name,
    organization: of ?? "all (operator)",
  }));
  return describeProgress(found) + (found.in_use && left.length > 0 ? tableOf(left, "") : "");
}

function describeProgress({ former, in_use: inUse, keys_left: keys, tokens_left: tokens }: Progress): string {
  if (!inUse) return "The new root secret is not in use yet: `turngate secret rotate` begins to use it.\n";
  const left = `${countOf(keys, "secret")} of keys and ${countOf(tokens, "token")}`;
  if (keys + tokens === 0) {
    return former === null
      ? "Everything is hashed with the root secret.\n"
      : `Nothing needs the former root secret: remove ${former}.\n`;
  }
  if (former === null) return `${left} were hashed with a former root secret that is not here: they are rejected.\n`;
  return `${left} still need the former root secret (${former}). Rotate or revoke those that nobody uses, then remove it.\n`;
}
