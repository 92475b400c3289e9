/** The hosts of families, as P13 asks the fake provider there. */
import type { HostSettings } from "../src/providers/host.ts";
import type { Family } from "./families.ts";

interface BenchHost {
  readonly family: Family;
  readonly hostSettings: HostSettings;
  readonly apiKey: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

const VERTEX: Pick<BenchHost, "hostSettings" | "apiKey" | "headers"> = {
  hostSettings: { type: "vertex", project: "bench-project", region: "europe-west1" },
  apiKey: null,
  headers: { authorization: "Bearer none" },
};

export const HOSTS = {
  azure: { family: "openai", hostSettings: { type: "azure" }, apiKey: "none" },
  // Signed, as most are: by the keys of the environment.
  bedrock: {
    family: "anthropic",
    hostSettings: { type: "bedrock", region: "eu-central-1", identity: "environment" },
    apiKey: null,
  },
  "vertex, anthropic": { family: "anthropic", ...VERTEX },
  "vertex, gemini": { family: "gemini", ...VERTEX },
} as const satisfies Readonly<Record<string, BenchHost>>;

export type HostName = keyof typeof HOSTS;
export const HOST_NAMES = Object.keys(HOSTS) as readonly HostName[];

/** The host with a name; undefined for the name of a family. */
export function findHost(name: string): BenchHost | undefined {
  return HOST_NAMES.includes(name as HostName) ? HOSTS[name as HostName] : undefined;
}
