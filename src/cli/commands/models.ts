// turngate models …: the models of the service that runs on the embedded database, else those of this shell's
// configuration (no store is needed for them), and the price file.
import { isDeepStrictEqual } from "node:util";
import type { Command } from "commander";
import { readConfig } from "../../config/config.ts";
import { listUnpricedDiscovered } from "../../config/discovered-models.ts";
import { joinPriceFiles, priceFileOf } from "../../config/price-list.ts";
import { buildDiscoveredCatalog } from "../../boot/discovery.ts";
import { findServing } from "../../boot/serving-file.ts";
import { printWarnings } from "../../boot/warnings.ts";
import { snapshotPrices } from "../../core/money/prices.ts";
import { MODELS, presentModel } from "../../manage/models.ts";
import { OperatorError } from "../../../packages/kit/operator-error.ts";
import { countOf, prints } from "../../../packages/kit/output.ts";
import { addOperations } from "../manage/add-operations.ts";

export function addModels(program: Command): void {
  addOperations(program, MODELS, { listModels })
    .command("update")
    .description("check a price file and put it in place of the last one; a reload of the service takes it")
    .argument("<file>", "JSON or YAML, of the form of the prices.json that comes with the program")
    .action(prints(update, describeUpdate));
}

/** Replies as the interface does. */
async function listModels() {
  const config = await readConfig();
  printWarnings(config.warnings);
  const serving = await findServing(config);
  if (serving !== null) {
    process.stderr.write(`The service at ${serving.base_url} serves ${serving.serves}.\n`);
    printWarnings(listUnpricedDiscovered(serving.models.map(readPresented), config.providers));
    return { data: serving.models };
  }
  const { catalog, failures } = await buildDiscoveredCatalog(config);
  printWarnings([...failures, ...listUnpricedDiscovered(catalog.models, config.providers)]);
  return { data: catalog.models.map(presentModel) };
}

const readPresented = ({ id, provider, discovered = false, prices }: ReturnType<typeof presentModel>) => ({
  id,
  provider,
  isDiscovered: discovered,
  prices,
});

interface Update {
  readonly file: string;
  readonly date: string;
  readonly models: number;
  /** The listed models that are not as they were. */
  readonly changed: readonly string[];
  /** The process of the service that runs on the embedded database; null: none does, or it is not known here. */
  readonly process: number | null;
}

async function update(name: string): Promise<Update> {
  const { readPriceFile, writePriceFile } = await import("../../config/price-file.ts");
  const file = readPriceFile(name);
  const config = await readConfig();
  const { models } = joinPriceFiles(file, null);
  for (const [id, listed] of models) checkPrices(`${name}: ${id}`, () => snapshotPrices(listed, config.usdPerCredit));
  const path = priceFileOf(config.database);
  writePriceFile(path, file);
  const changed = [...models].filter(([id, listed]) => !isDeepStrictEqual(config.prices.models.get(id), listed));
  const serving = await findServing(config);
  return {
    file: path,
    date: file.date,
    models: models.size,
    changed: changed.map(([id]) => id),
    process: serving?.process ?? null,
  };
}

/** Throws an OperatorError for a price that is too high to be charged. */
function checkPrices(of: string, work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new OperatorError(`${of}: ${error.message}.`, { cause: error });
  }
}

function describeUpdate({ file, date, models, changed, process: pid }: Update): string {
  const how = pid === null ? "A running service takes it" : `The running service takes it (kill -HUP ${pid})`;
  const list = changed.length === 0 ? "" : `Changed: ${changed.join(", ")}.\n`;
  return `${file}: ${countOf(models, "model")}, of ${date}.\n${list}${how} at its next reload.\n`;
}
