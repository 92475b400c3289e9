// turngate openapi, openapi-manage, schema: the documents that are made from the code and kept beside it.
import { readFileSync, writeFileSync } from "node:fs";
import type { Command } from "commander";
import { OperatorError } from "../operator-error.ts";
import { print } from "./output.ts";

export function addDocuments(program: Command): void {
  addDocument(program, {
    name: "openapi",
    description: "the OpenAPI 3.1 description of /v1",
    build: async () => (await import("../../contract/openapi.ts")).buildOpenApi(),
  });
  addDocument(program, {
    name: "openapi-manage",
    description: "the OpenAPI 3.1 description of the management interface",
    build: async () => (await import("../../contract/manage/openapi.ts")).buildManageOpenApi(),
  });
  addDocument(program, {
    name: "schema",
    description: "the JSON Schema of turngate.yaml",
    build: async () => (await import("../schema-document.ts")).buildSchemaDocument(),
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
    .description(`${description}: printed, written to a file, or compared with one`)
    .option("--write <file>", "write it")
    .option("--check <file>", "fail when the file is not equal to it")
    .action(async ({ write, check }: DocumentOptions) => {
      const text = `${JSON.stringify(await build(), null, 2)}\n`;
      if (write !== undefined) writeFileSync(write, text);
      if (check !== undefined && readFileSync(check, "utf8") !== text) {
        throw new OperatorError(`${check} is not what the code gives; run \`turngate ${name} --write ${check}\`.`);
      }
      if (write === undefined && check === undefined) print(text);
    });
}
