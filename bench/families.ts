/** The families of providers that Turngate speaks to, each over a wire of its own. */
import type { ProviderType } from "../src/providers/registry.ts";

export const FAMILIES = [
  "openai-compatible",
  "anthropic",
  "gemini",
  "openai",
] as const satisfies readonly ProviderType[];

export type Family = (typeof FAMILIES)[number];

/** What the rows run over when nothing else is asked for: the wire that the peer and TRANS speak too. */
export const DEFAULT_FAMILY: Family = "openai-compatible";

/** Where each wire begins on the fake provider, as an operator writes it in `base_url`. */
const BASE_PATHS: Readonly<Record<Family, string>> = {
  "openai-compatible": "/v1",
  anthropic: "",
  gemini: "",
  openai: "/v1",
};

/** The `base_url` of a family on the fake provider. */
export function baseUrlOf(family: Family, providerPort: number): string {
  return `http://127.0.0.1:${providerPort}${BASE_PATHS[family]}`;
}

/** The family of that name; undefined when there is none. */
export function findFamily(name: string): Family | undefined {
  return FAMILIES.find((family) => family === name);
}
