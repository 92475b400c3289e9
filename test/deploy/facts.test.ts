// What the files in deploy/ say of the program is true: ports, variables, paths, files, flags and times.
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { parse, parseAllDocuments } from "yaml";
import manifest from "../../package.json" with { type: "json" };
import { readConfig } from "../../src/config/config.ts";
import { DEFAULT_MANAGE_PORT, DEFAULT_PORT } from "../../src/config/environment.ts";
import { DEFAULT_LIMITS } from "../../src/contract/limits.ts";
import type { Loose } from "../support/http-client.ts";
import { TestService } from "../support/service.ts";
import { listVariables } from "../support/variables.ts";
import { copyOf, environmentOf, listOf, readDockerfile, wordsOf } from "./dockerfile.ts";

const ROOT = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), "utf8");
const readYaml = (path: string): Loose => parse(read(path), { merge: true });

/** Settling may take 10 seconds after the drain (flows/gateway.ts), the content export 3 (content-export/exporter.ts), sending the last spans 3 (traces/flush.ts). */
const CLOSING_SECONDS = 10 + 3 + 3;
/** Node's own, and those of other images. */
const FOREIGN = /^(NODE_|POSTGRES_)/;

const image = readDockerfile().at(-1)!;
const oneNode = readYaml("deploy/compose/one-node.yaml");
const threeNodes = readYaml("deploy/compose/three-nodes.yaml");
const kubernetes: Loose[] = globSync("deploy/kubernetes/*.yaml", { cwd: ROOT })
  .filter((path) => !/\/(turngate|kustomization)\.yaml$/.test(path))
  .flatMap((path) => parseAllDocuments(read(path)).map((document): Loose => document.toJS()));
const find = (kind: string, name = "turngate"): Loose => {
  const found = kubernetes.find((each) => each.kind === kind && each.metadata.name === name);
  return found ?? assert.fail(`there is no ${kind} ${name}`);
};
const pod: Loose = find("Deployment").spec.template.spec;
const container: Loose = pod.containers[0];
const unit = read("deploy/systemd/turngate.service");
const valuesOf = (key: string) =>
  Array.from(unit.matchAll(new RegExp(`^${key}=(.*)$`, "gm")), ([, value = ""]) => value);
const nodes: readonly (readonly [string, Loose])[] = [
  ["one-node.yaml", oneNode.services.turngate],
  ...["node-1", "node-2", "node-3"].map((name) => [name, threeNodes.services[name]] as const),
];

test("every YAML file parses, without a key twice", () => {
  // The chart's templates become YAML only when Helm has rendered them (chart.test.ts).
  const paths = globSync("deploy/**/*.{yaml,yml}", { cwd: ROOT }).filter((path) => !path.includes("/templates/"));
  assert.ok(paths.length >= 8);
  for (const path of paths) {
    for (const { errors, warnings } of parseAllDocuments(read(path)))
      assert.deepEqual([...errors, ...warnings], [], path);
  }
});

test("every variable that is set is one that the service reads", () => {
  const known = listVariables();
  const set = [
    ...environmentOf(image).keys(),
    ...[oneNode, threeNodes].flatMap(({ services }) =>
      Object.values<Loose>(services).flatMap(({ environment = {} }) => Object.keys(environment)),
    ),
    ...container.env.map(({ name }: Loose) => name),
    ...valuesOf("Environment").map((value) => value.split("=")[0]),
  ];
  assert.ok(set.length > 15);
  for (const name of set) assert.ok(known.has(name) || FOREIGN.test(name), `${name} is not read`);
});

test("no variable is set twice, by the image and by a file", () => {
  const byImage = environmentOf(image);
  const byFile = [
    ...nodes.flatMap(([, { environment }]) => Object.keys(environment)),
    ...container.env.map(({ name }: Loose) => name),
  ].filter((name) => name.endsWith("_FILE"));
  assert.ok(byFile.includes("DATABASE_URL_FILE"));
  for (const name of byFile) assert.ok(!byImage.has(name.slice(0, -"_FILE".length)), `the image sets ${name} too`);
});

test("the image has the project's Node, flags, files and a user of its own", () => {
  const [version] = new Set(Object.values(manifest.optionalDependencies));
  for (const { base } of readDockerfile()) assert.equal(base, `node:${version}-trixie-slim`);
  const flags = manifest.scripts.start
    .split(" ")
    .filter((word) => /^--(?:max-semi-space-size|v8-pool-size)=/.test(word));
  assert.equal(flags.length, 2);
  const [entrypoint] = listOf(image, "ENTRYPOINT");
  assert.deepEqual(wordsOf(entrypoint!), ["node", ...flags, "/opt/turngate/bin/turngate.js"]);
  assert.deepEqual(wordsOf(listOf(image, "CMD")[0]!), ["serve"]);
  for (const stage of readDockerfile()) {
    for (const { from, sources } of listOf(stage, "COPY").map(copyOf)) {
      for (const source of sources)
        if (from === null) assert.ok(existsSync(new URL(source, ROOT)), `${source} is missing`);
    }
  }
  const allowed = read("deploy/Dockerfile.dockerignore")
    .split("\n")
    .filter((line) => line.startsWith("!"));
  const copied = readDockerfile()
    .flatMap((stage) => listOf(stage, "COPY").map(copyOf))
    .flatMap(({ from, sources }) => (from === null ? sources : []));
  for (const source of copied) assert.ok(allowed.includes(`!${source.split("/")[0]}`), `${source} is ignored`);
  const [user = ""] = listOf(image, "USER").map(({ rest }) => rest);
  assert.deepEqual([pod.securityContext.runAsUser, pod.securityContext.runAsGroup], user.split(":").map(Number));
  assert.deepEqual(valuesOf("ExecStart"), [
    `/opt/turngate/node_modules/.bin/node ${flags.join(" ")} /opt/turngate/bin/turngate.js serve`,
  ]);
});

test("ports are those that the service listens on", () => {
  const both = [DEFAULT_PORT, DEFAULT_MANAGE_PORT];
  assert.deepEqual(
    listOf(image, "EXPOSE").map(({ rest }) => rest.split(" ").map(Number)),
    [both],
  );
  assert.deepEqual(
    container.ports.map(({ containerPort }: Loose) => containerPort),
    both,
  );
  const published = [`${DEFAULT_PORT}:${DEFAULT_PORT}`, `127.0.0.1:${DEFAULT_MANAGE_PORT}:${DEFAULT_MANAGE_PORT}`];
  assert.deepEqual(oneNode.services.turngate.ports, published);
  assert.deepEqual(threeNodes.services.balancer.ports, published);
  const names = new Set(container.ports.map(({ name }: Loose) => name));
  for (const name of ["turngate", "turngate-manage"]) {
    for (const { targetPort } of find("Service", name).spec.ports) assert.ok(names.has(targetPort), targetPort);
  }
  for (const rule of find("NetworkPolicy").spec.ingress) {
    for (const { port } of rule.ports) assert.ok(names.has(port), port);
  }
});

test("whatever stops the service waits for its drain, which lasts as long as a stream may", async () => {
  for (const path of ["deploy/turngate.yaml", "deploy/compose/turngate.yaml", "deploy/kubernetes/turngate.yaml"]) {
    const { limits, warnings } = await readConfig({ TURNGATE_CONFIG: new URL(path, ROOT).pathname });
    assert.ok(limits.drain_seconds >= DEFAULT_LIMITS.stream_ceiling_seconds, path);
    assert.deepEqual(warnings, [], path);
    const stop = limits.drain_notice_seconds + limits.drain_seconds + CLOSING_SECONDS;
    for (const [name, { stop_grace_period: grace }] of nodes) assert.ok(Number.parseInt(grace, 10) >= stop, name);
    const pause = container.lifecycle.preStop.sleep.seconds;
    assert.ok(pod.terminationGracePeriodSeconds >= pause + stop);
    assert.ok(Number(valuesOf("TimeoutStopSec")[0]) >= stop);
  }
  // The first signal must be the only one: a second ends the service at once.
  assert.deepEqual(valuesOf("KillMode"), ["mixed"]);
  assert.match(valuesOf("ExecReload")[0] ?? "", / -HUP \$MAINPID$/);
});

let service: TestService;
let manage: string;
before(async () => {
  service = await TestService.start();
  manage = await service.listenToManagement();
});
after(() => service.close());

test("probes ask paths that answer", async () => {
  const origins: Readonly<Record<string, string>> = { api: service.baseUrl, manage };
  const probes = ["startupProbe", "livenessProbe", "readinessProbe"].map((name) => container[name].httpGet);
  for (const { path, port } of probes) assert.equal((await fetch(`${origins[port]}${path}`)).status, 200, path);
  assert.equal(container.livenessProbe.httpGet.path, "/healthz", "a restart does not bring a database back");
  assert.equal(container.readinessProbe.httpGet.path, "/readyz");
  const checked = [
    ...wordsOf(listOf(image, "HEALTHCHECK")[0]!)
      .join(" ")
      .matchAll(/\}(\/\w+)/g),
  ].map(([, path]) => path);
  assert.deepEqual(checked, ["/healthz"]);
  const balanced = [...read("deploy/compose/haproxy.cfg").matchAll(/option httpchk GET (\S+)/g)].map(
    ([, path]) => path,
  );
  assert.deepEqual(balanced, ["/readyz", "/readyz"]);
});

test("a container runs without privileges on a read-only root, and its data is in a volume", () => {
  for (const [name, node] of nodes) {
    assert.deepEqual([node.read_only, node.cap_drop], [true, ["ALL"]], name);
    assert.deepEqual(node.security_opt, ["no-new-privileges:true"], name);
  }
  const { securityContext } = container;
  assert.deepEqual(
    [
      securityContext.readOnlyRootFilesystem,
      securityContext.allowPrivilegeEscalation,
      pod.securityContext.runAsNonRoot,
    ],
    [true, false, true],
  );
  const [data] = listOf(image, "VOLUME").map(({ rest }) => rest);
  assert.ok(
    listOf(image, "RUN").some(({ rest }) => rest === `ln -s ${data} data`),
    "./data is the volume",
  );
  assert.ok(oneNode.services.turngate.volumes.includes(`data:${data}`));
  const directory = valuesOf("StateDirectory")[0];
  assert.ok(valuesOf("Environment").includes(`DATABASE_URL=sqlite:/var/lib/${directory}/turngate.db`));
});

test("each file of a secret is mounted where its variable looks for it", () => {
  for (const [name, { environment, secrets }] of nodes) {
    const paths = Object.entries<string>(environment).filter(([variable]) => variable.endsWith("_FILE"));
    assert.deepEqual(
      new Set(paths.map(([, path]) => path)),
      new Set(secrets.map((each: string) => `/run/secrets/${each}`)),
      name,
    );
  }
  for (const { services, secrets } of [oneNode, threeNodes]) {
    const used = Object.values<Loose>(services).flatMap((each) => each.secrets ?? []);
    assert.deepEqual(new Set(used), new Set(Object.keys(secrets)));
  }
  const documented = Array.from(read("docs/deployment.md").matchAll(/--from-file=([\w-]+)=/g), ([, key = ""]) => key);
  const mounted = container.env.flatMap(
    ({ value }: Loose) => /^\/run\/secrets\/turngate\/(.+)$/.exec(value)?.[1] ?? [],
  );
  assert.deepEqual(new Set(documented), new Set(mounted), "docs/deployment.md makes the secret that is mounted");
  const mounts = new Map<string, string>(container.volumeMounts.map(({ name, mountPath }: Loose) => [name, mountPath]));
  for (const { name, value } of container.env) {
    if (name.endsWith("_FILE")) assert.ok(value.startsWith(`${mounts.get("secrets")}/`), name);
  }
  assert.deepEqual(new Set(mounts.keys()), new Set(pod.volumes.map(({ name }: Loose) => name)));
  const credentials = valuesOf("LoadCredential").map((value) => value.split(":")[0]);
  const named = valuesOf("Environment").flatMap((value) => /_FILE=%d\/(.+)$/.exec(value)?.[1] ?? []);
  assert.deepEqual(credentials, named);
  const workdir = listOf(image, "WORKDIR").map(({ rest }) => rest)[0];
  assert.equal(mounts.get("config"), workdir, "turngate.yaml is read from the working folder");
  for (const [name, { volumes }] of nodes) {
    const folder = name === "one-node.yaml" ? ".." : ".";
    assert.ok(volumes.includes(`${folder}/turngate.yaml:${workdir}/turngate.yaml:ro`), name);
  }
});

test("a command beside the systemd unit has the unit's user, folder, variables and secrets", () => {
  const command = read("deploy/systemd/turngate");
  const all = (pattern: RegExp) => Array.from(command.matchAll(pattern), ([, value = ""]) => value);
  assert.deepEqual(all(/--uid=(\S+)/g), valuesOf("User"));
  assert.deepEqual(all(/--working-directory=(\S+)/g), valuesOf("WorkingDirectory"));
  assert.deepEqual(all(/--property=UMask=(\S+)/g), valuesOf("UMask"));
  assert.deepEqual(all(/--property=LoadCredential=(\S+)/g), valuesOf("LoadCredential"));
  const exported = all(/export (\w+="\$CREDENTIALS_DIRECTORY\/\w+")/g).map((each) =>
    each.replace(/"\$CREDENTIALS_DIRECTORY(.+)"/, "%d$1"),
  );
  assert.deepEqual([...all(/--setenv=(\S+)/g), ...exported], valuesOf("Environment"));
  assert.ok(valuesOf("ExecStart")[0]?.includes(all(/exec (\/\S+)/g)[0] ?? "-"));
});

test("the Kubernetes objects find each other", () => {
  const { resources, configMapGenerator } = readYaml("deploy/kubernetes/kustomization.yaml");
  for (const path of [...resources, ...configMapGenerator[0].files]) {
    assert.ok(existsSync(new URL(`deploy/kubernetes/${path}`, ROOT)), path);
  }
  assert.equal(pod.volumes.find(({ name }: Loose) => name === "config").configMap.name, configMapGenerator[0].name);
  const { labels } = find("Deployment").spec.template.metadata;
  const selectors = [
    find("Deployment").spec.selector.matchLabels,
    find("Service").spec.selector,
    find("Service", "turngate-manage").spec.selector,
    find("PodDisruptionBudget").spec.selector.matchLabels,
    find("NetworkPolicy").spec.podSelector.matchLabels,
    pod.topologySpreadConstraints[0].labelSelector.matchLabels,
  ];
  for (const selector of selectors) assert.deepEqual(selector, labels);
  const { rollingUpdate } = find("Deployment").spec.strategy;
  assert.equal(rollingUpdate.maxUnavailable, 0);
  assert.ok(find("Deployment").spec.replicas > find("PodDisruptionBudget").spec.maxUnavailable);
});

test("the pods that stop others before they migrate have the settings of the nodes", () => {
  const { resources, patches, images } = readYaml("deploy/kubernetes-stop-others/kustomization.yaml");
  assert.deepEqual([resources, patches], [["../kubernetes"], [{ path: "migrate.yaml" }]]);
  assert.deepEqual(images, readYaml("deploy/kubernetes/kustomization.yaml").images);
  const patch = readYaml("deploy/kubernetes-stop-others/migrate.yaml");
  const { kind, metadata } = find("Deployment");
  assert.deepEqual([patch.kind, patch.metadata.name], [kind, metadata.name]);
  const [migrating] = patch.spec.template.spec.initContainers;
  assert.deepEqual(migrating.args, ["migrate", "--stop-others"]);
  assert.equal(migrating.image, container.image);
  assert.deepEqual(migrating.securityContext, container.securityContext);
  assert.deepEqual(migrating.volumeMounts, container.volumeMounts);
  for (const variable of migrating.env)
    assert.ok(container.env.some((each: Loose) => isDeepStrictEqual(each, variable)));
});
