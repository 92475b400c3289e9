/** Uses the package as its users do: installs the tarball in a project of its own, checks the types, and runs a test with the official client. */
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Node } from "./nodes.ts";

/** `using` is newer than the oldest Node. */
const USING_SINCE_MAJOR = 24;

const TYPED = `import OpenAI from "openai";
import { startTurngate, type Turngate, type TurngateOptions } from "turngate";

const options: TurngateOptions = { config: { limits: { drain_seconds: 1 } } };
await using gateway: Turngate = await startTurngate(options);
const { baseUrl: baseURL, apiKey } = gateway;
const client = new OpenAI({ baseURL, apiKey });
const response = await client.responses.create({ model: "simulated/echo", input: "Hi" });
const text: string = response.output_text;
if (text !== "Hi") throw new Error(text);
// @ts-expect-error -- a misspelt option is an error
await startTurngate({ ports: 1 });
`;

const RUN = `
  const client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.apiKey });
  const first = await client.responses.create({ model: "simulated/echo", input: "My name is Ada." });
  const second = await client.responses.create({ model: "simulated/echo", previous_response_id: first.id, input: "Hi" });
  assert.equal(second.output_text, "Hi");
  url = gateway.baseUrl;`;

/** Resolves to the seconds from the start of the test's process to its end. Rejects with what it has printed if it fails. */
export async function checkLibrary(given: {
  readonly tarball: string;
  readonly node: Node;
  readonly folder: string;
  /** Has the official client, TypeScript and the types of Node installed. */
  readonly clone: string;
  readonly variables: Readonly<Record<string, string>>;
}): Promise<number> {
  const { tarball, node, folder, clone, variables } = given;
  mkdirSync(folder, { recursive: true });
  const options = { cwd: folder, env: { ...variables }, encoding: "utf8" } as const;
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  execFileSync("npm", ["install", "--no-audit", "--no-fund", tarball], { ...options, stdio: "ignore" });
  const modules = join(folder, "node_modules");
  for (const name of ["openai", "@types"]) symlinkSync(join(clone, "node_modules", name), join(modules, name));

  writeFileSync(join(folder, "typed.mts"), TYPED);
  const flags = ["--noEmit", "--strict", "--target", "esnext", "--module", "nodenext", "--types", "node"];
  const compiler = join(clone, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [compiler, ...flags, "--skipLibCheck", "typed.mts"], { ...options, stdio: "inherit" });

  const hasUsing = Number.parseInt(node.version, 10) >= USING_SINCE_MAJOR;
  const body = hasUsing
    ? `{ await using gateway = await startTurngate(); ${RUN} }`
    : `const gateway = await startTurngate();\ntry { ${RUN} } finally { await gateway.stop(); }`;
  const imports = [
    'import assert from "node:assert";',
    'import OpenAI from "openai";',
    'import { startTurngate } from "turngate";',
  ];
  writeFileSync(
    join(folder, "test.mjs"),
    [...imports, "let url;", body, "await assert.rejects(fetch(url));", ""].join("\n"),
  );
  const startedMs = performance.now();
  execFileSync(node.path, ["test.mjs"], { ...options, stdio: ["ignore", "inherit", "inherit"] });
  return (performance.now() - startedMs) / 1000;
}
