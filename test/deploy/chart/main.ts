// `npm run test:chart`: helm lint, the renderings of every case, kubeconform over them and over the plain manifests.
// With --write it keeps the renderings, which `npm test` compares with the manifests; otherwise they must be equal.
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { CASES, CHART, digestOf, folderOf, KUBERNETES_VERSIONS, REFUSED } from "./cases.ts";
import { findTool, run, writeSchemas } from "./tools.ts";

const chart = fileURLToPath(CHART);
const work = mkdtempSync(join(tmpdir(), "turngate-chart-"));
const [helm, kubeconform] = [findTool("helm"), findTool("kubeconform")];
const schemas = KUBERNETES_VERSIONS.map((version) => [version, writeSchemas(version)] as const);

function check(is: boolean, what: string, said = ""): void {
  console.log(`${is ? "✓" : "✗"} ${what}`);
  if (is) return;
  console.log(said);
  process.exitCode = 1;
}

function valuesFile(values: object): string {
  const path = join(work, "values.json");
  writeFileSync(path, JSON.stringify(values));
  return path;
}

function template(release: string, values: object, ...more: readonly string[]): { said: string; status: number } {
  const to = ["--namespace", "turngate", "--kube-version", KUBERNETES_VERSIONS[1]];
  return run(helm, ["template", release, chart, ...to, "--values", valuesFile(values), ...more]);
}

/** What Helm printed, by the template that it comes from. */
function divide(said: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const [, path = "", text = ""] of said.matchAll(
    /^---\n# Source: .*\/(.+)\n([^]*?)(?=^---\n# Source|(?![^]))/gm,
  )) {
    files.set(path, files.has(path) ? `${files.get(path)}---\n${text}` : text);
  }
  return files;
}

function write(folder: URL, files: ReadonlyMap<string, string>): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [path, text] of files) writeFileSync(new URL(path, folder), text);
}

function readAll(folder: URL): ReadonlyMap<string, string> {
  return new Map(globSync("*", { cwd: folder }).map((path) => [path, readFileSync(new URL(path, folder), "utf8")]));
}

function conforms(schema: string, manifests: string): { said: string; status: number } {
  return run(kubeconform, ["-strict", "-schema-location", schema, "-"], manifests);
}

try {
  for (const each of CASES) {
    const { name, release, values } = each;
    const linted = run(helm, [
      "lint",
      "--strict",
      "--kube-version",
      KUBERNETES_VERSIONS[1],
      chart,
      "--values",
      valuesFile(values),
    ]);
    check(linted.status === 0, `helm lint --strict: ${name}`, linted.said);
    const { said, status } = template(release, values);
    check(status === 0, `helm template: ${name}`, said);
    const files = new Map([...divide(said), ["made-from.txt", digestOf(each)]]);
    if (process.argv.includes("--write")) write(folderOf(name), files);
    check(isDeepStrictEqual(readAll(folderOf(name)), files), `the rendering that is kept: ${name}`);
    for (const [version, schema] of schemas) {
      const { said: found, status: conforming } = conforms(schema, said);
      check(conforming === 0, `kubeconform, Kubernetes ${version}: ${name}`, found);
    }
  }
  for (const [values, message] of REFUSED) {
    const { said, status } = template("turngate", values);
    check(status !== 0 && message.test(said), `rejected: ${JSON.stringify(values)}`, said);
  }
  const plain = globSync(fileURLToPath(new URL("../../kubernetes/*.yaml", CHART)))
    .filter((path) => !/\/(turngate|kustomization)\.yaml$/.test(path))
    .map((path) => readFileSync(path, "utf8"))
    .join("\n---\n");
  for (const [version, schema] of schemas) {
    const { said, status } = conforms(schema, plain);
    check(status === 0, `kubeconform, Kubernetes ${version}: the plain manifests`, said);
    const broken = conforms(schema, plain.replace("replicas: 3", "replica: 3"));
    check(
      broken.status !== 0 && /replica/.test(broken.said),
      `kubeconform, Kubernetes ${version}: finds a wrong field`,
      broken.said,
    );
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
