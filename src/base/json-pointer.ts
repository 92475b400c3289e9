// JSON pointers within a document, as the references of a JSON schema have them: `#/$defs/name`.
import { isJsonObject } from "./json.ts";

/** Resolves a JSON pointer within the document; undefined if it is malformed or has no target. */
export function resolveReference(reference: string, root: unknown): unknown {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  let target: unknown = root;
  for (const step of reference.split("/").slice(1)) {
    const decoded = percentDecode(step);
    if (decoded === null) return undefined;
    const key = decoded.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(target)) target = target[Number(key)];
    else if (isJsonObject(target) && Object.hasOwn(target, key)) target = target[key];
    else return undefined;
  }
  return target;
}

function percentDecode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
