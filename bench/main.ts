/**
 * The benchmark: measures Turngate against limits and a peer in one run and prints the figures; a full run writes them
 * to docs/performance.md. `npm run bench`, `npm run bench -- P3`, `npm run bench -- --quick`, `npm run bench -- P3
 * --family anthropic`; `npm run bench -- --beside COMMIT` measures this tree beside a commit.
 */
import { type Arguments, readArguments } from "./arguments.ts";
import { measureBeside } from "./beside.ts";
import { DEFAULT_FAMILY } from "./families.ts";
import { closeExchanges } from "./load/exchange.ts";
import { pinSelf } from "./process/cores.ts";
import { writeDocument } from "./report/document.ts";
import { describeMachine } from "./report/machine.ts";
import { figuresTable } from "./report/table.ts";
import { ROWS } from "./rows.ts";
import { runRow } from "./run-row.ts";
import { startTarget } from "./targets/target.ts";
import type { Judged } from "./verdict.ts";

process.on("SIGINT", () => process.exit(130));
process.on("SIGTERM", () => process.exit(143));

const { ids, isAll, isQuick, family, beside } = argumentsOrExit();
pinSelf();
const provider = await startTarget("PROVIDER");
const machine = describeMachine(new Date());
process.stdout.write(`${machine.join("\n")}\n`);
if (beside.length > 0) {
  process.stdout.write(`\n${await measureBeside(beside, { providerPort: provider.port, isQuick })}\n`);
  await provider.stop();
  closeExchanges();
  process.exit();
}
if (family !== DEFAULT_FAMILY) process.stdout.write(`Turngate runs over the ${family} adapter and wire.\n`);

const figures: Judged[] = [];
const notes: string[] = [];
let failures = 0;
for (const row of ROWS) {
  const names = [...new Set(row.figures.map((figure) => figure.id))].filter((id) => ids.has(id)).join(", ");
  if (names === "") continue;
  try {
    const tell = (text: string): void => void process.stderr.write(`${names}: ${text}\n`);
    const result = await runRow({ row, ids, providerPort: provider.port, family, isQuick, tell });
    figures.push(...result.figures);
    notes.push(...result.notes);
  } catch (error) {
    failures++;
    const note = `${names}: not measured: ${error instanceof Error ? error.message : String(error)}`;
    notes.push(note);
    process.stderr.write(`${note}\n`);
  }
}
await provider.stop();
closeExchanges();

const table = figuresTable(figures);
process.stdout.write(`\n${[table, ...notes].join("\n")}\n`);
if (isAll && !isQuick && family === DEFAULT_FAMILY) writeDocument({ machine, table, notes });
process.exitCode = failures === 0 ? 0 : 1;

/** A mistyped row gets a message, not a stack trace. */
function argumentsOrExit(): Arguments {
  try {
    return readArguments(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return process.exit(2);
  }
}
