/**
 * A lean HTTP/1.1 client connection: writes prebuilt bytes and scans for the end of the response. It parses no JSON and
 * no chunk sizes, so that a request costs the load generator far less than any gateway.
 */
import { connect, type Socket } from "node:net";

interface ReceivedResponse {
  readonly status: number;
  /** Bytes of the body as received, with chunk framing. */
  readonly bytes: number;
  /** When the marker was first seen in the body, in `performance.now()` milliseconds; 0 without one. */
  readonly markedAt: number;
}

export interface ConnectionOptions {
  readonly port: number;
  /** Text whose first appearance in a body is timed. */
  readonly marker?: string | undefined;
  /** Called as soon as the marker is seen. */
  readonly onMarker?: (() => void) | undefined;
  readonly onResponse: (response: ReceivedResponse) => void;
  /** The peer closed or the socket failed; `busy`: a response was pending. */
  readonly onClose: (busy: boolean) => void;
}

/** One read buffer for all connections: each read is processed before the next and never kept. */
const READ_BUFFER = Buffer.allocUnsafe(64 * 1024);
const HEAD_END = Buffer.from("\r\n\r\n");
/** The last chunk of a chunked body. No JSON or event frame ends in these bytes, so a tail check is enough. */
const CHUNKED_END = Buffer.from("0\r\n\r\n");

export class Connection {
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #marker: Buffer | undefined;
  #busy = false;
  #closed = false;
  #head: Buffer | undefined;
  #inBody = false;
  #status = 0;
  #bytes = 0;
  #markedAt = 0;
  /** Remaining bytes of the body; -1 if it is chunked. */
  #left = 0;
  #tail: Buffer = Buffer.alloc(0);

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#marker = options.marker === undefined ? undefined : Buffer.from(options.marker);
    this.#socket = connect({
      host: "127.0.0.1",
      port: options.port,
      noDelay: true,
      onread: {
        buffer: READ_BUFFER,
        callback: (length) => {
          this.#read(READ_BUFFER.subarray(0, length));
          return true;
        },
      },
    });
    this.#socket.on("error", () => this.#close());
    this.#socket.on("close", () => this.#close());
  }

  get isBusy(): boolean {
    return this.#busy;
  }

  /** Sends one request. No response may be pending. */
  send(request: Buffer): void {
    this.#busy = true;
    this.#head = undefined;
    this.#inBody = false;
    this.#bytes = 0;
    this.#markedAt = 0;
    this.#socket.write(request);
  }

  destroy(): void {
    this.#closed = true;
    this.#socket.destroy();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.onClose(this.#busy);
  }

  #read(data: Buffer): void {
    if (!this.#busy) return;
    if (this.#inBody) return this.#readBody(data);
    const all = this.#head === undefined ? data : Buffer.concat([this.#head, data]);
    const end = all.indexOf(HEAD_END);
    if (end < 0) {
      this.#head = Buffer.from(all);
      return;
    }
    this.#readHead(all.toString("latin1", 0, end));
    const body = all.subarray(end + HEAD_END.length);
    if (body.length > 0 || this.#left === 0) this.#readBody(body);
  }

  #readHead(head: string): void {
    this.#status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head);
    this.#left = length?.[1] === undefined ? -1 : Number(length[1]);
    this.#inBody = true;
    this.#tail = Buffer.alloc(0);
  }

  #readBody(data: Buffer): void {
    this.#bytes += data.length;
    if (this.#marker !== undefined && this.#markedAt === 0 && data.includes(this.#marker)) {
      this.#markedAt = performance.now();
      this.#options.onMarker?.();
    }
    if (this.#isWhole(data)) this.#finish();
  }

  #isWhole(data: Buffer): boolean {
    if (this.#left >= 0) {
      this.#left -= data.length;
      return this.#left <= 0;
    }
    const size = CHUNKED_END.length;
    if (data.length >= size) {
      // Copied, because the read buffer is reused.
      this.#tail = Buffer.from(data.subarray(data.length - size));
    } else {
      const joined = Buffer.concat([this.#tail, data]);
      this.#tail = joined.subarray(Math.max(0, joined.length - size));
    }
    return this.#tail.equals(CHUNKED_END);
  }

  #finish(): void {
    this.#busy = false;
    this.#inBody = false;
    this.#options.onResponse({ status: this.#status, bytes: this.#bytes, markedAt: this.#markedAt });
  }
}
