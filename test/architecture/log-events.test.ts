// docs/observability.md (Events) lists the events that the service logs, with their levels, and no others.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withoutComments } from "./modules.ts";

const ROOT = join(import.meta.dirname, "../..");
const EVENT = /^[a-z_]+\.[a-z_]+$/;

/** Events that are logged by other means than a method of a log that is called with the event itself. */
const OTHERS: Readonly<Record<string, string>> = {
  "bug.uncaught_exception": "error",
  "bug.unhandled_rejection": "error",
  "log.lines_lost": "warn",
};

/** Levels by event, in the order of their first use. */
type Levels = ReadonlyMap<string, ReadonlySet<string>>;

function levelsOf(pairs: Iterable<readonly [event: string, level: string]>): Levels {
  const levels = new Map<string, Set<string>>();
  for (const [event, level] of pairs) levels.set(event, (levels.get(event) ?? new Set()).add(level));
  return levels;
}

function loggedEvents(): Levels {
  const paths = globSync("src/**/*.ts", { cwd: ROOT }).filter((path) => !path.endsWith(".test.ts"));
  const calls = paths.flatMap((path) => {
    const code = withoutComments(readFileSync(join(ROOT, path), "utf8"));
    return [...code.matchAll(/\blog\.(debug|info|warn|error)\(\s*"([^"]+)"/g)].map(
      ([, level = "", event = ""]) => [event, level] as const,
    );
  });
  return levelsOf([...calls, ...Object.entries(OTHERS)]);
}

function documentedEvents(): Levels {
  const page = readFileSync(join(ROOT, "docs/observability.md"), "utf8");
  const rows = [...page.matchAll(/^\| (`[^|]+`) \| ((?:(?:debug|info|warn|error)(?:, )?)+) \|/gm)];
  return levelsOf(
    rows.flatMap(([, events = "", levels = ""]) =>
      events.split(", ").flatMap((event) => levels.split(", ").map((level) => [event.slice(1, -1), level] as const)),
    ),
  );
}

test("every event that is logged is in the document with its levels, and no other", () => {
  const logged = loggedEvents();
  assert.ok(logged.size > 50);
  for (const event of logged.keys()) assert.match(event, EVENT);
  const sorted = (levels: Levels) =>
    [...levels].map(([event, each]) => `${event} ${[...each].toSorted().join(" ")}`).toSorted();
  assert.deepEqual(sorted(documentedEvents()), sorted(logged));
});
