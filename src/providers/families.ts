// The provider families, in the order of the catalog. A family joins the service by its line here.
import { ANTHROPIC } from "./anthropic/family.ts";
import type { ProviderFamily } from "./family.ts";
import { GEMINI } from "./gemini/family.ts";
import { OPENAI } from "./openai/family.ts";
import { OPENAI_COMPATIBLE } from "./openai-compatible/family.ts";
import { SIMULATED } from "./simulated/family.ts";

export const FAMILIES: readonly ProviderFamily[] = [ANTHROPIC, GEMINI, OPENAI, OPENAI_COMPATIBLE, SIMULATED];
