// Password hashing: argon2id, two at a time, so that a burst of sign-ins uses up neither memory nor the thread pool.
import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { ApiError } from "../contract/errors.ts";
import type { Passwords } from "../ports/management-secrets.ts";

const derive = promisify(argon2);

/** OWASP's recommendation for argon2id: 19 MiB, two passes, one lane; about 30 ms. */
const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;
const NONCE_BYTES = 16;
/** Leaves two of the four threads of the pool for DNS and files. */
const AT_ONCE = 2;
/** The last one waits for about a second. */
const WAITING_MAX = 50;

const VERSION = `argon2id$m=${PARAMETERS.memory},t=${PARAMETERS.passes},p=${PARAMETERS.parallelism}`;

/** A hash is `argon2id$m=…,t=…,p=…$nonce$tag`, the last two in base64url. */
export function createPasswords(): Passwords {
  const limited = createLimiter(AT_ONCE);
  // An unknown user is checked against a random hash, which takes as long as a real check.
  const randomHash = encode(randomBytes(NONCE_BYTES), randomBytes(PARAMETERS.tagLength));
  return {
    async hash(password) {
      const nonce = randomBytes(NONCE_BYTES);
      return encode(nonce, await limited(() => tagOf(password, nonce)));
    },
    async matches(password, hash) {
      const { nonce, tag } = decode(hash ?? randomHash);
      const given = await limited(() => tagOf(password, nonce));
      return timingSafeEqual(given, tag) && hash !== null;
    },
  };
}

/** NFKC, since keyboards encode the same letter in different ways. */
function tagOf(password: string, nonce: Buffer): Promise<Buffer> {
  return derive("argon2id", { ...PARAMETERS, nonce, message: password.normalize("NFKC") });
}

function encode(nonce: Buffer, tag: Buffer): string {
  return [VERSION, nonce.toString("base64url"), tag.toString("base64url")].join("$");
}

/** Throws for a hash with other parameters; none exist so far. */
function decode(hash: string): { nonce: Buffer; tag: Buffer } {
  const [nonce = "", tag = ""] = hash.startsWith(`${VERSION}$`) ? hash.slice(VERSION.length + 1).split("$") : [];
  if (tag === "") throw new Error("A stored password hash has a format that this version does not know.");
  return { nonce: Buffer.from(nonce, "base64url"), tag: Buffer.from(tag, "base64url") };
}

/** Limits concurrent work; the rest waits in order. Throws 503 `gateway_overloaded` when too much waits. */
function createLimiter(atOnce: number) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < atOnce) running++;
    else if (waiting.length < WAITING_MAX) await new Promise<void>((resolve) => waiting.push(resolve));
    else throw new ApiError("gateway_overloaded", "Too many passwords are being checked at the moment: try again.");
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The slot is passed on directly, so that no new call takes it in between.
      if (next === undefined) running--;
      else next();
    }
  };
}
