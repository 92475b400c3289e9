// Passwords of people: argon2id, two at a time, so that a wave of sign-ins takes neither memory nor the threads that others need.
import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { Passwords } from "../ports/management.ts";

const derive = promisify(argon2);

/** What OWASP recommends for argon2id: 19 MiB, two passes, one lane; some 30 ms. */
const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;
const NONCE_BYTES = 16;
/** Of the four threads of the runtime's pool two stay free for look-ups of names and files. */
const AT_ONCE = 2;

const VERSION = `argon2id$m=${PARAMETERS.memory},t=${PARAMETERS.passes},p=${PARAMETERS.parallelism}`;

/** The hashes used in service. A hash is `argon2id$m=…,t=…,p=…$nonce$tag`, the last two in base64url. */
export function createPasswords(): Passwords {
  const inTurn = createTurns(AT_ONCE);
  // Somebody unknown is checked against a password that nobody knows: it takes as long as anybody's.
  const nobody = encode(randomBytes(NONCE_BYTES), randomBytes(PARAMETERS.tagLength));
  return {
    async hash(password) {
      const nonce = randomBytes(NONCE_BYTES);
      return encode(nonce, await inTurn(() => tagOf(password, nonce)));
    },
    async matches(password, hash) {
      const { nonce, tag } = decode(hash ?? nobody);
      const given = await inTurn(() => tagOf(password, nonce));
      return timingSafeEqual(given, tag) && hash !== null;
    },
  };
}

/** Different keyboards write one letter in different ways: NFKC makes them one. */
function tagOf(password: string, nonce: Buffer): Promise<Buffer> {
  return derive("argon2id", { ...PARAMETERS, nonce, message: password.normalize("NFKC") });
}

function encode(nonce: Buffer, tag: Buffer): string {
  return [VERSION, nonce.toString("base64url"), tag.toString("base64url")].join("$");
}

/** Throws for a hash that was made with other parameters: there are none so far. */
function decode(hash: string): { nonce: Buffer; tag: Buffer } {
  const [nonce = "", tag = ""] = hash.startsWith(`${VERSION}$`) ? hash.slice(VERSION.length + 1).split("$") : [];
  if (tag === "") throw new Error("A stored password hash is of a kind that this version does not know.");
  return { nonce: Buffer.from(nonce, "base64url"), tag: Buffer.from(tag, "base64url") };
}

/** Lets so many run at once; the others wait in their order. */
function createTurns(atOnce: number) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The place is handed on: nobody who comes in between takes it.
      if (next === undefined) running--;
      else next();
    }
  };
}
