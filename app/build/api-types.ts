// Writes app/generated: the types of both interfaces, from their OpenAPI documents. Run by `npm run types`.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";

const ROOT = new URL("../../", import.meta.url);
const DOCUMENTS = { manage: "openapi-manage.json", v1: "openapi.json" };

const target = new URL("app/generated/", ROOT);
await mkdir(target, { recursive: true });
for (const [name, path] of Object.entries(DOCUMENTS)) {
  const document = JSON.parse(await readFile(new URL(path, ROOT), "utf8"));
  const text = astToString(await openapiTS(document));
  await writeFile(new URL(`${name}.ts`, target), `// Written by app/build/api-types.ts from ${path}.\n${text}`);
}
