// The Helm chart makes what the plain manifests say. `npm run test:chart` has Helm render it; here the renderings are read.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { parse, parseAllDocuments } from "yaml";
import manifest from "../../package.json" with { type: "json" };
import { DEFAULT_LIMITS } from "../../src/contract/limits.ts";
import type { Loose } from "../support/http-client.ts";
import { listVariables } from "../support/variables.ts";
import { CASES, CHART, digestOf, folderOf, readRendering } from "./chart/cases.ts";

const ROOT = new URL("../../", import.meta.url);
const read = (path: string, base = ROOT) => readFileSync(new URL(path, base), "utf8");
const documentsOf = (text: string): Loose[] => parseAllDocuments(text).flatMap((each): Loose => each.toJS() ?? []);
const plain = globSync("deploy/kubernetes/*.yaml", { cwd: ROOT })
  .filter((path) => !/\/(turngate|kustomization|namespace)\.yaml$/.test(path))
  .flatMap((path) => documentsOf(read(path)));
const rendered = new Map(CASES.map(({ name }) => [name, readRendering(name)]));
const find = (name: string, kind: string, ending = ""): Loose =>
  rendered.get(name)?.find((each) => each.kind === kind && each.metadata.name.endsWith(ending)) ??
  assert.fail(`${name} has no ${kind}`);

/** What a manifest says apart from the labels that Helm adds, and from the order of variables. */
function bare(object: Loose): Loose {
  const text = JSON.stringify(object, (key, value: Loose) => {
    if (key === "app.kubernetes.io/instance" || key.startsWith("app.kubernetes.io/version")) return undefined;
    if (/^(helm\.sh\/chart|app\.kubernetes\.io\/(managed-by|component)|checksum\/config)$/.test(key)) return undefined;
    if (key === "imagePullPolicy" || (key === "image" && /^turngate(:|$)/.test(value))) return undefined;
    if (key === "env") return value.toSorted((a: Loose, b: Loose) => a.name.localeCompare(b.name));
    if (key === "labels" || key === "annotations") return Object.keys(value).length === 0 ? undefined : value;
    return value;
  });
  const { metadata, spec, ...rest } = JSON.parse(text);
  // Both are what Kubernetes takes without them.
  if (spec.type === "ClusterIP") delete spec.type;
  if (spec.template?.metadata.annotations !== undefined) delete spec.template.metadata.annotations;
  return { ...rest, name: metadata.name, spec };
}

test("the renderings are of this chart: otherwise run `npm run test:chart -- --write`", () => {
  for (const each of CASES) {
    assert.equal(read("made-from.txt", folderOf(each.name)), digestOf(each), each.name);
  }
});

test("the default rendering says what the plain manifests say", () => {
  assert.ok(plain.length >= 5);
  for (const object of plain) {
    const same = rendered
      .get("default")
      ?.find(({ kind, metadata }) => kind === object.kind && metadata.name === object.metadata.name);
    assert.ok(same, `${object.kind} ${object.metadata.name}`);
    assert.deepEqual(bare(same), bare(object));
  }
  const config = find("default", "ConfigMap", "-config").data["turngate.yaml"];
  assert.deepEqual(parse(config), parse(read("deploy/kubernetes/turngate.yaml")));
});

test("chart and program have one version", () => {
  const { version, appVersion } = parse(read("Chart.yaml", CHART));
  assert.deepEqual([version, appVersion], [manifest.version, manifest.version]);
  assert.equal(find("default", "Deployment").spec.template.spec.containers[0].image, `turngate:${manifest.version}`);
});

test("the Job before an upgrade migrates with the settings, secrets and rights of the nodes", () => {
  for (const [name, args] of [
    ["default", ["migrate"]],
    ["everything", ["migrate", "--stop-others"]],
  ] as const) {
    const [job, config] = [find(name, "Job"), find(name, "ConfigMap", "-migrate")];
    for (const { metadata } of [job, config]) assert.equal(metadata.annotations["helm.sh/hook"], "pre-upgrade");
    const weights = [config, job].map(({ metadata }) => Number(metadata.annotations["helm.sh/hook-weight"]));
    assert.ok(weights[0]! < weights[1]!, "the Job needs the configuration");
    assert.deepEqual(config.data, find(name, "ConfigMap", "-config").data);
    const [migrating, node] = [job.spec.template.spec, find(name, "Deployment").spec.template.spec];
    const [container] = migrating.containers;
    assert.deepEqual(container.args, args);
    for (const key of ["image", "env", "volumeMounts", "securityContext"])
      assert.deepEqual(container[key], node.containers[0][key], key);
    assert.deepEqual(migrating.securityContext, node.securityContext);
    assert.deepEqual(
      migrating.volumes.map((each: Loose) => each.configMap?.name ?? each.secret.secretName),
      [config.metadata.name, node.volumes[1].secret.secretName],
    );
    const selector = find(name, "Deployment").spec.selector.matchLabels;
    assert.notEqual(job.spec.template.metadata.labels["app.kubernetes.io/name"], selector["app.kubernetes.io/name"]);
  }
});

test("a pod gets the time that its drain takes, whatever the configuration says", () => {
  for (const { name } of CASES) {
    const limits = parse(find(name, "ConfigMap", "-config").data["turngate.yaml"]).limits ?? {};
    const notice = limits.drain_notice_seconds ?? DEFAULT_LIMITS.drain_notice_seconds;
    const drain = limits.drain_seconds ?? DEFAULT_LIMITS.drain_seconds;
    const pod = find(name, "Deployment").spec.template.spec;
    const pause = pod.containers[0].lifecycle.preStop.sleep.seconds;
    assert.equal(pod.terminationGracePeriodSeconds, pause + notice + drain + 30, name);
  }
});

test("every variable is one that the service reads, and a null removes one", () => {
  const known = listVariables();
  const names = find("everything", "Deployment").spec.template.spec.containers[0].env.map(({ name }: Loose) => name);
  for (const name of names) assert.ok(known.has(name), `${name} is not read`);
  assert.ok(names.includes("ANTHROPIC_API_KEY_FILE") && names.includes("LOG_LEVEL"));
  assert.ok(!names.includes("OPENAI_API_KEY_FILE"));
});

test("clients are shown the given address of /v1, or that of the service inside the cluster", () => {
  const shown = CASES.map(({ name }) => {
    const { env } = find(name, "Deployment").spec.template.spec.containers[0];
    return [name, env.find((each: Loose) => each.name === "PUBLIC_URL").value];
  });
  assert.deepEqual(shown, [
    ["default", "http://turngate.turngate"],
    ["everything", "https://api.example.com"],
    ["least", "http://turngate.turngate:8080"],
  ]);
});

test("objects that can be chosen select the nodes, and are left out by default", () => {
  const kinds = (name: string) => new Set(rendered.get(name)?.map(({ kind }) => kind));
  for (const kind of ["HorizontalPodAutoscaler", "ServiceMonitor"]) {
    assert.ok(kinds("everything").has(kind) && !kinds("default").has(kind), kind);
  }
  for (const kind of ["Job", "PodDisruptionBudget", "NetworkPolicy"]) assert.ok(!kinds("least").has(kind), kind);
  const deployment = find("everything", "Deployment");
  assert.equal(find("everything", "HorizontalPodAutoscaler").spec.scaleTargetRef.name, deployment.metadata.name);
  assert.equal(deployment.spec.replicas, undefined, "an upgrade would undo what the autoscaler did");
  const { selector, endpoints } = find("everything", "ServiceMonitor").spec;
  const selected = rendered
    .get("everything")
    ?.filter(({ kind, metadata }) =>
      kind === "Service"
        ? Object.entries(selector.matchLabels).every(([key, value]) => metadata.labels[key] === value)
        : false,
    );
  assert.deepEqual(
    selected?.map(({ metadata }) => metadata.name),
    ["edge-turngate-manage"],
  );
  assert.equal(selected[0]?.spec.ports[0].name, endpoints[0].port);
  const { jobLabel } = find("everything", "ServiceMonitor").spec;
  const jobs = [...read("deploy/monitoring/alerts.yaml").matchAll(/\bjob="(\w+)"/g)].map(([, job]) => job);
  assert.deepEqual([...new Set(jobs)], [selected[0]?.metadata.labels[jobLabel]], "the alerts ask for this job");
});
