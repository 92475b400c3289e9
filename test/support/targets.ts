// Models with targets, and a scripted provider for each of their names.
import {
  type CatalogModel,
  type RetryCondition,
  SAFE_CONDITIONS,
  type TargetModel,
} from "../../src/core/models/catalog.ts";
import type { ProviderRegistry } from "../../src/ports/provider.ts";
import { ScriptedProvider } from "./scripted-provider.ts";
import { testModel } from "./service-config.ts";

/** A target; its provider's model is "m" unless given otherwise. */
export function targetOf(provider: string, more: Partial<TargetModel> = {}): TargetModel {
  const of = { provider, upstreamModel: "m", target: `${provider}/m`, order: 1, weight: 1 };
  return { ...testModel("test/targets"), ...of, ...more };
}

/** The model of some targets, as the configuration makes it. */
export function modelOfTargets(
  targets: readonly TargetModel[],
  { id = "test/targets", retry = SAFE_CONDITIONS }: { id?: string; retry?: Iterable<RetryCondition> } = {},
): CatalogModel {
  const { target: _, order: _order, weight: _weight, ...first } = targets[0] ?? targetOf("none");
  return { ...first, id, targets: targets.map((target) => ({ ...target, id })), retry: new Set(retry) };
}

/** Scripted providers by name; "scripted" serves the other models of the tests. */
export function scriptedProviders<Name extends string>(
  ...names: readonly Name[]
): { readonly registry: ProviderRegistry; readonly of: Readonly<Record<Name, ScriptedProvider>> } {
  const made = [...names, "scripted" as const].map((name) => [name, new ScriptedProvider()] as const);
  const of = Object.fromEntries(made) as Record<Name, ScriptedProvider>;
  const get = (name: string): ScriptedProvider => of[name as Name];
  return { registry: { get, close: async () => {} }, of };
}
