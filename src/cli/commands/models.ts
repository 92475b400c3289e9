// The models of the service that runs on the embedded database, else those of this shell's configuration: no store is
// needed for them.
import { buildCatalog } from "../../config/catalog.ts";
import { readConfig } from "../../config/config.ts";
import { findServing } from "../../boot/serving.ts";
import { printWarnings } from "../../boot/warnings.ts";
import { presentModel } from "../../manage/models.ts";

/** Replies as the interface does. */
export async function listModelsHere() {
  const config = await readConfig();
  printWarnings(config.warnings);
  const serving = await findServing(config);
  if (serving === null) return { data: (await buildCatalog(config)).models.map(presentModel) };
  process.stderr.write(`The service at ${serving.base_url} serves ${serving.serves}.\n`);
  return { data: serving.models };
}
