// turngate keys mint
import type { Command } from "commander";
import { createSecrets } from "../../system/hashing.ts";
import { prints } from "../../../packages/kit/output.ts";

export function addMint(keys: Command): void {
  keys
    .command("mint")
    .description("print a well-formed secret that is not stored anywhere (for TURNGATE_BOOTSTRAP_API_KEY)")
    .action(prints(mint, ({ secret }) => `${secret}\n`));
}

async function mint() {
  // The secret itself does not depend on the root secret; only its hash does.
  const { secret } = createSecrets("").mintApiKey();
  return { secret };
}
