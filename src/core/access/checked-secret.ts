// The format of API keys and tokens: a prefix, a public look-up id, the secret and a checksum, in base62. The checksum
// detects a mistyped or truncated secret without a query to the store; it proves nothing. @spec authentication

/** 71 bits: unique, because keys are looked up by it. */
const LOOKUP_CHARACTERS = 12;
/** 190 bits. */
const SECRET_CHARACTERS = 32;
/** Enough for a CRC of 32 bits. */
const CHECKSUM_CHARACTERS = 6;
const CHARACTERS = LOOKUP_CHARACTERS + SECRET_CHARACTERS + CHECKSUM_CHARACTERS;

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Random bytes for one secret: 262 bits are used, and 122 more make the modulo bias negligible. */
export const SECRET_RANDOM_BYTES = 48;

/** A well-formed key or token. */
export interface CheckedSecret {
  /** The public id that the store looks it up by. */
  readonly lookup: string;
  /** The whole text with its prefix, which is hashed. */
  readonly secret: string;
}

/** Reads and creates secrets with one prefix. */
interface SecretFormat {
  /** Parses a secret; null when it is malformed or its checksum is wrong. */
  read(text: string): CheckedSecret | null;
  /** Makes a secret from SECRET_RANDOM_BYTES random bytes; the same bytes give the same secret. */
  make(randomBytes: Uint8Array): CheckedSecret;
}

/** The format for a prefix. */
function secretFormat(prefix: string): SecretFormat {
  const shape = new RegExp(`^${prefix}[0-9A-Za-z]{${CHARACTERS}}$`);
  return {
    read(text) {
      if (!shape.test(text)) return null;
      const body = text.slice(0, -CHECKSUM_CHARACTERS);
      if (text.slice(-CHECKSUM_CHARACTERS) !== checksumOf(body)) return null;
      return { lookup: text.slice(prefix.length, prefix.length + LOOKUP_CHARACTERS), secret: text };
    },
    make(randomBytes) {
      if (randomBytes.length !== SECRET_RANDOM_BYTES) {
        throw new Error(`a secret is made of ${SECRET_RANDOM_BYTES} random bytes`);
      }
      let number = 0n;
      for (const byte of randomBytes) number = (number << 8n) | BigInt(byte);
      const random = toBase62(number, LOOKUP_CHARACTERS + SECRET_CHARACTERS);
      const body = prefix + random;
      return { lookup: random.slice(0, LOOKUP_CHARACTERS), secret: body + checksumOf(body) };
    },
  };
}

/** API keys, `sk_…`. */
export const KEY_FORMAT = secretFormat("sk_");

/** Tokens of the management interface, `adm_…`. */
export const TOKEN_FORMAT = secretFormat("adm_");

/** Runs for every request, so it avoids BigInt. */
function checksumOf(body: string): string {
  let rest = crc32(body);
  let text = "";
  for (let place = 0; place < CHECKSUM_CHARACTERS; place++) {
    text = BASE62.charAt(rest % BASE62.length) + text;
    rest = Math.floor(rest / BASE62.length);
  }
  return text;
}

/** The lowest base62 digits of a number. */
function toBase62(number: bigint, characters: number): string {
  let rest = number;
  let text = "";
  for (let place = 0; place < characters; place++) {
    text = BASE62.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}

const CRC32_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1;
  return remainder;
});

/** CRC-32 (as in zip and Ethernet) of a text of ASCII characters, as an unsigned number. */
function crc32(ascii: string): number {
  let crc = 0xffffffff;
  for (let at = 0; at < ascii.length; at++) {
    crc = (CRC32_TABLE[(crc ^ ascii.charCodeAt(at)) & 0xff] ?? 0) ^ (crc >>> 8);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
