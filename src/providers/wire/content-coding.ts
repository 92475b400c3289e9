// Decodes compressed responses: some servers and networks compress whatever was asked for.
//
//   chunks ─▶ zlib, on its threads ─▶ pieces of 16 KiB, as fast as they are taken
//
// A paused reader pauses zlib, and zlib the connection: a body of one megabyte may stand for gigabytes.
import type { Readable, Transform } from "node:stream";
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from "node:zlib";
import { RESPONSE_BYTES_MAX } from "./bounds.ts";
import type { ReadConnection } from "./intake.ts";
import { TooLongError } from "./response-body.ts";

/** The most encodings of one response, one on top of the other. */
const ENCODINGS_MAX = 2;
/** Memory of a decoder for what it may refer back to, bytes: at most that of Brotli, to which `zstd` is limited. */
const WINDOW_BYTES = 16 * 1024 * 1024;
const ZSTD_WINDOW_LOG = 24;

/** The end of the data is no error where the checksum is missing: the reader knows whether the model has ended. */
const FLATE = { finishFlush: constants.Z_SYNC_FLUSH };

/** Creates a decoder, given the first byte of the data. */
const DECODERS: ReadonlyMap<string, (firstByte: number) => Transform> = new Map<
  string,
  (firstByte: number) => Transform
>([
  ["gzip", () => createGunzip(FLATE)],
  ["x-gzip", () => createGunzip(FLATE)],
  // With or without the header of zlib, whose first byte names method 8.
  ["deflate", (first) => ((first & 0x0f) === 8 ? createInflate(FLATE) : createInflateRaw(FLATE))],
  ["br", () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })],
  ["zstd", () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } })],
]);

/** The encodings to undo, the last first; null if one is not supported. */
function readEncodings(header: string | null): readonly string[] | null {
  const names = (header ?? "").toLowerCase().split(",");
  const encodings = names.map((name) => name.trim()).filter((name) => name !== "" && name !== "identity");
  const isSupported = encodings.length <= ENCODINGS_MAX && encodings.every((name) => DECODERS.has(name));
  return isSupported ? encodings.toReversed() : null;
}

/** Thrown for a body that is not in the encoding that it has by its headers. */
export class NotDecodableError extends Error {
  override readonly name = "NotDecodableError";
}

export interface ContentDecoderOptions {
  /** The header `content-encoding`. */
  readonly encoding: string | null;
  /** Takes decoded bytes, with what it may pause: the connection, or the decoder before it. */
  readonly take: (bytes: Buffer, connection: ReadConnection) => void;
  /** Called once, after the last bytes; with a NotDecodableError, a TooLongError or the error with which the body ended. */
  readonly end: (error: Error | null) => void;
}

/** Decodes one body. */
export class ContentDecoder {
  readonly #options: ContentDecoderOptions;
  readonly #encodings: readonly string[] | null;
  /** Bytes received, and of a compressed body those decoded too: it may decode to nothing. */
  #bytes = 0;
  #first: Transform | null = null;
  #stages: readonly Transform[] = [];
  #decodedBytes = 0;
  #isOver = false;
  #lost: Error | null = null;

  constructor(options: ContentDecoderOptions) {
    this.#options = options;
    this.#encodings = readEncodings(options.encoding);
  }

  /** Memory that decoding takes, bytes, roughly. */
  heldBytes(): number {
    return Math.min(this.#decodedBytes, WINDOW_BYTES);
  }

  /** Decodes a chunk, and pauses the connection until there is room for the next. */
  write(chunk: Buffer, connection: ReadConnection): void {
    if (this.#isOver || chunk.length === 0) return;
    if (this.#encodings === null) {
      this.#over(new NotDecodableError(`a content encoding that is not supported: ${quote(this.#options.encoding)}`));
      return;
    }
    if (!this.#count(chunk)) return;
    if (this.#encodings.length === 0) {
      this.#options.take(chunk, connection);
      return;
    }
    const first = (this.#first ??= this.#open(this.#encodings, chunk[0] as number));
    if (first.write(chunk)) return;
    connection.pause();
    first.once("drain", () => connection.resume());
  }

  /** The body has ended; `lost` is the error of its connection. What has arrived is decoded. */
  end(lost: Error | null): void {
    this.#lost = lost;
    if (this.#first === null) this.#over(null);
    else this.#first.end();
  }

  /** Decodes no more. */
  close(): void {
    this.#isOver = true;
    for (const stage of this.#stages) stage.destroy();
  }

  #open(encodings: readonly string[], firstByte: number): Transform {
    // Only the data of the outermost encoding has begun.
    const stages = encodings.map((name, at) => createStage(name, at === 0 ? firstByte : 8));
    for (const [at, stage] of stages.entries()) {
      stage.on("error", (cause) => this.#over(new NotDecodableError("bytes that cannot be decompressed", { cause })));
      const next = stages[at + 1];
      if (next !== undefined) stage.pipe(next);
    }
    this.#stages = stages;
    const last = stages.at(-1) as Readable;
    last.on("data", (bytes: Buffer) => {
      if (this.#isOver || !this.#count(bytes)) return;
      this.#decodedBytes += bytes.length;
      this.#options.take(bytes, last);
    });
    last.on("end", () => this.#over(null));
    return stages[0] as Transform;
  }

  /** Counts bytes; false beyond the limit of a response, which ends it. */
  #count(bytes: Buffer): boolean {
    this.#bytes += bytes.length;
    if (this.#bytes <= RESPONSE_BYTES_MAX) return true;
    this.#over(new TooLongError("a response longer than its limit"));
    return false;
  }

  #over(error: Error | null): void {
    if (this.#isOver) return;
    this.close();
    this.#options.end(this.#lost ?? error);
  }
}

function createStage(name: string, firstByte: number): Transform {
  const create = DECODERS.get(name);
  if (create === undefined) throw new Error(`no decoder of ${name}`);
  return create(firstByte);
}

/** The value of a header, if it is short enough to quote in a message. */
function quote(header: string | null): string {
  return header !== null && /^[\w ,.-]{1,60}$/.test(header) ? header : "an unknown one";
}
