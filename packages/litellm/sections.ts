// The sections of a LiteLLM configuration beside model_list: aliases, and what has no place here.
import { SHARED_PARAMS } from "./hosts.ts";
import { type Fields, fieldsOf, textOf } from "./litellm-values.ts";
import { FALLBACK_KEYS, type Notes } from "./models.ts";

/** Further names of models, and the id that each stands for. */
export function readAliases(
  models: ReadonlyMap<string, Fields>,
  aliases: Fields,
  { notes, lost }: Notes,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [alias, given] of Object.entries(aliases)) {
    const id = models.get(textOf(given) || textOf(fieldsOf(given)["model"]))?.["id"];
    if (typeof id === "string" && !/[\s*]/.test(alias)) found[alias] = id;
    else {
      notes.push(`router_settings.model_group_alias: ${alias} names no model that was carried over.`);
      lost.push(alias);
    }
  }
  return found;
}

/** Keys of `litellm_settings` about routing; all of `router_settings` are. */
const ROUTING = /fallback|retries|retry|cooldown|allowed_fails|timeout/;

/** Notes every key that is not read. */
export function noteSections(sections: Fields, { notes, lost }: Notes): void {
  for (const [section, value] of Object.entries(sections)) {
    const read = ["model_group_alias", ...FALLBACK_KEYS, ...SHARED_PARAMS];
    const keys = Object.keys(fieldsOf(value)).filter((key) => !read.includes(key));
    if (keys.length > 0) notes.push(`${section}: not carried over: ${keys.join(", ")}.`);
    else if (typeof value !== "object" || Array.isArray(value)) notes.push(`${section}: not carried over.`);
    if (section === "router_settings") lost.push(...keys);
    if (section === "litellm_settings") lost.push(...keys.filter((key) => ROUTING.test(key)));
  }
}
