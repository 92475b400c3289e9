// The names of LiteLLM's models, and its wildcards as ours: `openai/*` takes any name of a provider.

/** Whether a name has a star. */
export function isWildcard(name: string): boolean {
  return name.includes("*");
}

/** Why a model_name and its model have no place here, as a sentence; null if they have. */
export function faultOfNames(alias: string, target: string): string | null {
  if (!/^\S+$/.test(alias) || !/^\S+$/.test(target)) return "names with white space have no place.";
  if (!isWildcard(alias + target)) return null;
  const endsInStar = (name: string) => name.indexOf("*") === name.length - 1;
  if (!isWildcard(alias) || !isWildcard(target)) return "a wildcard needs its star in model_name and model.";
  if (!endsInStar(alias) || !endsInStar(target)) return "a wildcard has one star here, at the end.";
  return target.includes("/") ? null : "a wildcard is of one provider here; list one for each, such as openai/*.";
}

/** The id of a wildcard: it has a part before the slash. */
export function wildcardId(alias: string, provider: string): string {
  return alias.includes("/") ? alias : `${provider}/${alias}`;
}
