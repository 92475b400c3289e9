// The values that the Helm chart is rendered with. What Helm made of them is kept in renderings/, so that the tests
// need no Helm; a digest says from which chart.
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import type { Loose } from "../../support/http-client.ts";

export const CHART = new URL("../../../deploy/helm/turngate/", import.meta.url);
/** The lowest that the chart allows, and the one that Helm assumes while it renders. */
export const KUBERNETES_VERSIONS = ["1.30.14", "1.37.2"] as const;

interface Case {
  readonly name: string;
  /** The name of the release. */
  readonly release: string;
  readonly values: object;
}

const EVERYTHING = {
  image: { repository: "registry.example.com/turngate", tag: "1.2.3", pullPolicy: "Always" },
  imagePullSecrets: [{ name: "registry" }],
  config: {
    providers: {
      simulated: null,
      anthropic: { type: "anthropic", api_key: "${ANTHROPIC_API_KEY}" },
    },
    limits: { drain_seconds: 600, drain_notice_seconds: 5, bodies_in_hand_bytes: 134_217_728 },
  },
  secret: {
    name: "edge-secrets",
    variables: { OPENAI_API_KEY: null, TURNGATE_BOOTSTRAP_API_KEY: null, ANTHROPIC_API_KEY: "anthropic-api-key" },
  },
  manageUrl: "https://manage.example.com",
  publicUrl: "https://api.example.com/v1",
  env: [{ name: "LOG_LEVEL", value: "debug" }],
  migrate: { stopOthers: true },
  podAnnotations: { "example.com/team": "platform" },
  podLabels: { team: "platform" },
  nodeSelector: { "kubernetes.io/os": "linux" },
  tolerations: [{ key: "dedicated", operator: "Exists" }],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "Exists" }] }],
      },
    },
  },
  service: { type: "LoadBalancer", port: 443, annotations: { "example.com/balancer": "internal" } },
  manageService: { annotations: { "example.com/inside": "yes" } },
  autoscaler: { enabled: true },
  serviceMonitor: { enabled: true, labels: { release: "prometheus" } },
};

/** What has no default. */
const REQUIRED = { manageUrl: "https://turngate.example.com" };

export const CASES: readonly Case[] = [
  { name: "default", release: "turngate", values: REQUIRED },
  { name: "everything", release: "edge", values: EVERYTHING },
  {
    name: "least",
    release: "turngate",
    values: {
      ...REQUIRED,
      migrate: { enabled: false },
      disruptionBudget: { enabled: false },
      networkPolicy: { enabled: false },
      config: { limits: null },
      service: { port: 8080 },
    },
  },
];

/** Values that the chart's schema rejects, and what it says. */
export const REFUSED: readonly (readonly [values: object, message: RegExp])[] = [
  [{}, /manageUrl/],
  [{ ...REQUIRED, replica: 3 }, /replica/],
  [{ ...REQUIRED, replicas: 0 }, /replicas/],
  [{ manageUrl: "manage.example.com" }, /manageUrl/],
  [{ ...REQUIRED, publicUrl: "https://example.com/api/v1" }, /publicUrl/],
  [{ ...REQUIRED, secret: { variables: { DATABASE_URL: null } } }, /DATABASE_URL/],
  [{ ...REQUIRED, secret: { variables: { OPENAI_API_KEY_FILE: "openai-api-key" } } }, /OPENAI_API_KEY_FILE/],
  [{ ...REQUIRED, secret: { variables: { OPENAI_API_KEY: "a key with spaces" } } }, /OPENAI_API_KEY/],
  [{ ...REQUIRED, config: { limits: { drain_seconds: "5m" } } }, /drain_seconds/],
  [{ ...REQUIRED, autoscaler: { enabled: "yes" } }, /autoscaler/],
];

/** Where the rendering of a case is kept: a file for each template, and what it was made from. */
export function folderOf(name: string): URL {
  return new URL(`renderings/${name}/`, import.meta.url);
}

/** The rendering of a case as it is kept. */
export function readRendering(name: string): readonly Loose[] {
  const paths = globSync("*.yaml", { cwd: folderOf(name) });
  return paths.flatMap((path) => {
    const documents = parseAllDocuments(readFileSync(new URL(path, folderOf(name)), "utf8"));
    return documents.flatMap((each): Loose => each.toJS() ?? []);
  });
}

/** A digest of the chart's files and the values of a case. */
export function digestOf({ name, release, values }: Case): string {
  const hash = createHash("sha256");
  for (const path of globSync("**/*.{yaml,json,tpl,txt}", { cwd: CHART }).toSorted()) {
    hash.update(`${path}\n${readFileSync(new URL(path, CHART), "utf8")}`);
  }
  hash.update(JSON.stringify({ name, release, values }));
  return `${hash.digest("hex")}\n`;
}
