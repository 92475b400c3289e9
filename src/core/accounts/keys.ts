// The format of an API key: `sk_`, a public look-up id, the secret and a checksum, all in base62. The checksum tells a mistyped
// or incomplete key without asking the store; it is no proof of anything. @spec authentication

const PREFIX = "sk_";
/** 71 bits: keys are looked up by it, so it must never repeat. */
const LOOKUP_CHARACTERS = 12;
/** 190 bits. */
const SECRET_CHARACTERS = 32;
/** Room for the 32 bits of a CRC. */
const CHECKSUM_CHARACTERS = 6;
const KEY_CHARACTERS = PREFIX.length + LOOKUP_CHARACTERS + SECRET_CHARACTERS + CHECKSUM_CHARACTERS;

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const KEY_SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${KEY_CHARACTERS - PREFIX.length}}$`);

/** Random bytes that a key is made from: 262 bits are used, 122 more make the bias of the last division nothing. */
export const KEY_RANDOM_BYTES = 48;

/** A well-formed key. */
export interface ReadKey {
  /** Its public look-up id: what the store finds it by. */
  readonly lookup: string;
  /** The whole text, `sk_…`: what is hashed. */
  readonly secret: string;
}

/** Reads a presented key; null when it is malformed or its checksum is wrong, so that it can be no key at all. */
export function readKey(text: string): ReadKey | null {
  if (!KEY_SHAPE.test(text)) return null;
  const body = text.slice(0, -CHECKSUM_CHARACTERS);
  if (text.slice(-CHECKSUM_CHARACTERS) !== checksumOf(body)) return null;
  return { lookup: text.slice(PREFIX.length, PREFIX.length + LOOKUP_CHARACTERS), secret: text };
}

/** Makes a key of KEY_RANDOM_BYTES random bytes; the same bytes give the same key. */
export function makeKey(randomBytes: Uint8Array): ReadKey {
  if (randomBytes.length !== KEY_RANDOM_BYTES) throw new Error(`a key is made of ${KEY_RANDOM_BYTES} random bytes`);
  let number = 0n;
  for (const byte of randomBytes) number = (number << 8n) | BigInt(byte);
  const random = toBase62(number, LOOKUP_CHARACTERS + SECRET_CHARACTERS);
  const body = PREFIX + random;
  return { lookup: random.slice(0, LOOKUP_CHARACTERS), secret: body + checksumOf(body) };
}

function checksumOf(body: string): string {
  return toBase62(BigInt(crc32(body)), CHECKSUM_CHARACTERS);
}

/** The lowest digits of a number in base62, as many as asked for. */
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
