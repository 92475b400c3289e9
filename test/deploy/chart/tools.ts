// Helm and kubeconform, from PATH or built from their Go modules, and the schemas of Kubernetes' types.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import type { Loose } from "../../support/http-client.ts";

const MODULES = {
  helm: "helm.sh/helm/v3/cmd/helm@v3.22.0",
  kubeconform: "github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0",
} as const;
/** The version that Helm assumes without a cluster; a build of its own has 1.20. */
const FLAGS = ["Major=1", "Minor=37"].map((each) => `-X helm.sh/helm/v3/pkg/chartutil.k8sVersion${each}`).join(" ");
const OPERATOR = "github.com/prometheus-operator/prometheus-operator@v0.85.0";
const SERVICE_MONITOR = "example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml";
const FOLDER = join(tmpdir(), "turngate-chart-tools");

/** Runs a command to its end; what it wrote to both outputs. */
export function run(
  command: string,
  args: readonly string[],
  input = "",
): { readonly said: string; readonly status: number } {
  const { stdout, stderr, status, error } = spawnSync(command, args, {
    encoding: "utf8",
    input,
    env: { ...process.env, GOBIN: FOLDER },
  });
  if (error !== undefined) throw error;
  return { said: stdout + stderr, status: status ?? -1 };
}

/** The path of a tool; it is built once if PATH has none, which needs Go. */
export function findTool(name: keyof typeof MODULES): string {
  if (spawnSync(name, ["--help"]).error === undefined) return name;
  const path = join(FOLDER, name);
  if (existsSync(path)) return path;
  const { said, status } = run("go", ["install", "-ldflags", FLAGS, MODULES[name]]);
  if (status !== 0) throw new Error(`${MODULES[name]} cannot be built: ${said}`);
  return path;
}

/**
 * Writes the schemas of a version's types, and of the ServiceMonitor, into a folder, one file a kind, as they are
 * published for kubeconform: no field is allowed that a type does not have. Returns the location for kubeconform.
 */
export function writeSchemas(version: string): string {
  const folder = join(FOLDER, `schemas-${version}`);
  mkdirSync(folder, { recursive: true });
  const write = (name: string, schema: object) => writeFileSync(join(folder, name), JSON.stringify(schema));
  const swagger = readFileSync(
    join(moduleFolder(`k8s.io/kubernetes@v${version}`), "api/openapi-spec/swagger.json"),
    "utf8",
  );
  const { definitions }: Loose = JSON.parse(swagger.replaceAll('"#/definitions/', '"definitions.json#/definitions/'));
  definitions["io.k8s.apimachinery.pkg.util.intstr.IntOrString"].type = ["string", "integer"];
  definitions["io.k8s.apimachinery.pkg.api.resource.Quantity"].type = ["string", "number"];
  write("definitions.json", {
    definitions: Object.fromEntries(Object.entries(definitions).map(([key, each]) => [key, close(each)])),
  });
  for (const [key, each] of Object.entries<Loose>(definitions)) {
    for (const { group, kind, version: of } of each["x-kubernetes-group-version-kind"] ?? []) {
      write(fileOf(group, kind, of), { $ref: `definitions.json#/definitions/${key}` });
    }
  }
  const { spec }: Loose = parse(readFileSync(join(moduleFolder(OPERATOR), SERVICE_MONITOR), "utf8"));
  write(fileOf(spec.group, spec.names.kind, "v1"), close(spec.versions[0].schema.openAPIV3Schema));
  return join(folder, "{{.ResourceKind}}{{.KindSuffix}}.json");
}

function moduleFolder(module: string): string {
  const { said } = run("go", ["mod", "download", "-json", module]);
  return (JSON.parse(said) as { Dir?: string }).Dir ?? failed(said);
}

function failed(said: string): never {
  throw new Error(said);
}

/** As kubeconform names the file: the kind, the first word of the group, the version. */
function fileOf(group: string, kind: string, version: string): string {
  return `${[kind, group.split(".")[0], version].filter(Boolean).join("-").toLowerCase()}.json`;
}

/** The schema, with no fields but those that it names. */
function close(schema: unknown): Loose {
  if (Array.isArray(schema)) return schema.map(close);
  if (typeof schema !== "object" || schema === null) return schema;
  const closed = Object.fromEntries(Object.entries(schema).map(([key, each]) => [key, close(each)]));
  const isOpen = "additionalProperties" in closed || "x-kubernetes-preserve-unknown-fields" in closed;
  const names = closed["properties"];
  const isObject = typeof names === "object" && closed["type"] === "object";
  return isObject && !isOpen ? { ...closed, additionalProperties: false } : closed;
}
