// turngate openapi, openapi-manage, schema, schema-accounts: the documents that are generated from the code and kept in the repository.
import { readFileSync, writeFileSync } from "node:fs";
import type { Command } from "commander";
import { OperatorError } from "../../config/operator-error.ts";
import { print } from "./output.ts";

export function addDocuments(program: Command): void {
  addDocument(program, {
    name: "openapi",
    description: "the OpenAPI 3.1 description of /v1",
    build: async () => (await import("../../openapi/document.ts")).buildOpenApi(),
  });
  addDocument(program, {
    name: "openapi-manage",
    description: "the OpenAPI 3.1 description of the management interface",
    build: async () => (await import("../../openapi/manage/document.ts")).buildManageOpenApi(),
  });
  addDocument(program, {
    name: "schema",
    description: "the JSON Schema of turngate.yaml",
    build: async () => (await import("../../config/schema-document.ts")).buildSchemaDocument(),
  });
  addDocument(program, {
    name: "schema-accounts",
    description: "the JSON Schema of a file of accounts",
    build: async () => (await import("../../config/schema-document.ts")).buildAccountsSchemaDocument(),
  });
}

interface DocumentCommand {
  readonly name: string;
  readonly description: string;
  build(): Promise<object>;
}

interface DocumentOptions {
  readonly write?: string;
  readonly check?: string;
}

function addDocument(program: Command, { name, description, build }: DocumentCommand): void {
  program
    .command(name)
    .description(`${description}: print it, write it to a file, or compare it with one`)
    .option("--write <file>", "write it to this file")
    .option("--check <file>", "fail if this file differs")
    .action(async ({ write, check }: DocumentOptions) => {
      const text = `${JSON.stringify(await build(), null, 2)}\n`;
      if (write !== undefined) writeFileSync(write, text);
      if (check !== undefined && readFileSync(check, "utf8") !== text) {
        throw new OperatorError(
          `${check} differs from what the code generates; run \`turngate ${name} --write ${check}\`.`,
        );
      }
      if (write === undefined && check === undefined) print(text);
    });
}
