// The first request of a new key, sent from the dialog that shows it.
import { readFailure, unreachable } from "../../api/failure.ts";

interface Message {
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
}

/** Sends a short request with a key and returns the text of its answer; throws a RequestFailure for an error. */
export async function askOnce(key: string, model: string): Promise<string> {
  const response = await fetch("/v1/responses", {
    method: "POST",
    credentials: "omit",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, input: "Say hello in one sentence." }),
  }).catch((error: unknown) => {
    throw unreachable(error);
  });
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw readFailure(body, response);
  const { output = [], error } = body as { output?: readonly Message[]; error?: { message: string } | null };
  if (error !== null && error !== undefined) throw new Error(error.message);
  return output
    .flatMap(({ content = [] }) => content)
    .map(({ text = "" }) => text)
    .join("");
}
