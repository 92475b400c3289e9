// turngate openapi, openapi-manage, schema, schema-accounts: the documents that are generated from the code and kept in the repository.
import { readFileSync, writeFileSync } from "node:fs";
import type { Command } from "commander";
import { OperatorError } from "../../config/operator-error.ts";
import { jsonOf, print } from "./output.ts";

const DOCUMENTS: Readonly<Record<string, { readonly what: string; readonly build: () => Promise<object> }>> = {
  openapi: {
    what: "the OpenAPI 3.1 description of /v1",
    build: async () => (await import("../../openapi/document.ts")).buildOpenApi(),
  },
  "openapi-manage": {
    what: "the OpenAPI 3.1 description of the management interface",
    build: async () => (await import("../../openapi/manage/document.ts")).buildManageOpenApi(),
  },
  schema: {
    what: "the JSON Schema of turngate.yaml",
    build: async () => (await import("../../config/schema-document.ts")).buildSchemaDocument(),
  },
  "schema-accounts": {
    what: "the JSON Schema of a file of accounts",
    build: async () => (await import("../../config/schema-document.ts")).buildAccountsSchemaDocument(),
  },
};

export function addDocuments(program: Command): void {
  for (const [name, { what, build }] of Object.entries(DOCUMENTS)) {
    program
      .command(name)
      .description(`${what}: print it, write it to a file, or compare it with one`)
      .option("--write <file>", "write it to this file")
      .option("--check <file>", "fail if this file differs")
      .action(async ({ write, check }: { readonly write?: string; readonly check?: string }) => {
        const text = jsonOf(await build());
        if (write !== undefined) writeFileSync(write, text);
        if (check !== undefined && readFileSync(check, "utf8") !== text) {
          throw new OperatorError(
            `${check} differs from what the code generates; run \`turngate ${name} --write ${check}\`.`,
          );
        }
        if (write === undefined && check === undefined) print(text);
      });
  }
}
