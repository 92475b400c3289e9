// What was sent and no client may read, since a server may quote it in an error.

const REDACTED = "[redacted]";
/**
 * Shortest key that is redacted. Shorter ones (`none`, `ollama`, `k`) are placeholders for servers without keys, and would match within
 * words.
 */
const SECRET_CHARACTERS_MIN = 8;
/** Some servers quote only the beginning or the end of a key. Fewer characters in common may be a word. */
const PART_CHARACTERS = 12;
/** Segments of a path that may be a token, as those of some gateways are. */
const PATH_TOKEN = /^(?=.*\d).{16,}$/;
/** The segments before a name that is no secret. */
const NAMED_SEGMENT = /^(?:deployments|endpoints|engines|models|projects|serving-endpoints)$/;
/** Headers that describe a request and have no secret in them, also behind the name of a provider: `x-title`, `x-goog-user-project`. */
const PUBLIC_HEADER = /^(?:host|user-agent|x-amz-date)$|(?:^|-)(?:beta|organization|project|referer|title|version)$/i;
const SCHEME = /^\s*(?:bearer|basic|token|key|api-?key)\s+(\S+)/i;
/** The words of a header; the first group is the sign that gives a word its name. */
const WORD = /(=\s*)?["']?([^\s;,="']+)/g;
/** Words that may be a token wherever they stand. */
const WORD_TOKEN = /\d|.{20}/;

/**
 * The secrets in headers (name, value, name, value): their values, the words of these that stand behind a scheme (`Bearer`) or a name
 * (`key=`) or look like a token, and what `Basic` encodes.
 */
export function secretsOf(headers: readonly string[]): readonly string[] {
  return headers.flatMap((value, at) => {
    if (at % 2 === 0 || PUBLIC_HEADER.test(headers[at - 1] ?? "")) return [];
    const words = Array.from(value.matchAll(WORD), ([, sign, word = ""]) =>
      sign !== undefined || WORD_TOKEN.test(word) ? word : "",
    );
    const credentials = SCHEME.exec(value)?.[1] ?? "";
    const decoded = /^\s*basic\s/i.test(value) ? Buffer.from(credentials, "base64").toString() : "";
    return [value, credentials, ...words, decoded, decoded.slice(decoded.indexOf(":") + 1)];
  });
}

/** The secrets in a base URL: the values of its query, as written and decoded, and tokens in its path. */
export function secretsOfUrl({ pathname, search }: URL): readonly string[] {
  const values = search
    .slice(1)
    .split("&")
    .flatMap((pair) => {
      if (pair.startsWith("api-version=")) return [];
      const value = pair.slice(pair.indexOf("=") + 1);
      return [value, ...new URLSearchParams(`=${value}`).values()];
    });
  const segments = pathname.split("/");
  const tokens = segments.filter((one, at) => PATH_TOKEN.test(one) && !NAMED_SEGMENT.test(segments[at - 1] ?? ""));
  return [...values, ...tokens];
}

/** Whether a text has a secret in it, whole. */
export function holdsSecret(text: string, secrets: readonly string[]): boolean {
  return secrets.some((secret) => secret.length >= SECRET_CHARACTERS_MIN && text.includes(secret));
}

/** A short text with every secret redacted, and every part of one. One of several words, without a scheme, is redacted only whole: a part may be plain words. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  const isHidden = new Uint8Array(text.length);
  for (const secret of secrets) {
    if (secret.length < SECRET_CHARACTERS_MIN) continue;
    const isOfWords = /\s/.test(secret) && !SCHEME.test(secret);
    const length = isOfWords ? secret.length : Math.min(secret.length, PART_CHARACTERS);
    const parts = new Set(Array.from({ length: secret.length - length + 1 }, (_, at) => secret.slice(at, at + length)));
    for (let at = 0; at + length <= text.length; at++) {
      const part = text.slice(at, at + length);
      // A space at an end is not the secret's.
      if (parts.has(part) && part.trim() === part) isHidden.fill(1, at, at + length);
    }
  }
  let shown = "";
  let from = 0;
  for (let at = isHidden.indexOf(1); at !== -1; at = isHidden.indexOf(1, from)) {
    const end = isHidden.indexOf(0, at);
    shown += text.slice(from, at) + REDACTED;
    from = end === -1 ? text.length : end;
  }
  return shown + text.slice(from);
}
