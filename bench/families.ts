/** The provider families of Turngate, each with its own wire. */
import type { Fault } from "./provider/faults.ts";

export const FAMILIES = ["openai-compatible", "anthropic", "gemini", "openai"] as const;

export type Family = (typeof FAMILIES)[number];

/** The default family, whose wire the peer and TRANS use too. */
export const DEFAULT_FAMILY: Family = "openai-compatible";

/** The path of each wire on the fake provider, as an operator writes it in `base_url`. */
const BASE_PATHS: Readonly<Record<Family, string>> = {
  "openai-compatible": "/v1",
  anthropic: "",
  gemini: "",
  openai: "/v1",
};

/** The `base_url` of a family on the fake provider, or on one of its faulty servers. */
export function baseUrlOf(family: Family, providerPort: number, fault?: Fault): string {
  return `http://127.0.0.1:${providerPort}${fault === undefined ? "" : `/${fault}`}${BASE_PATHS[family]}`;
}

/** The family with a name, or undefined. */
export function findFamily(name: string): Family | undefined {
  return FAMILIES.find((family) => family === name);
}
