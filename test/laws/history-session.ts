// What the parts of a random program share: the service, the oracle that predicts its replies, and the steps so far.
import type { Reply } from "../support/http-client.ts";
import type { LiveStream } from "../support/live-stream.ts";
import type { TestService } from "../support/service.ts";
import { HistoryDraws } from "./history-draws.ts";
import type { Rejected, StoredResponse } from "./history-model.ts";
import { HistoryOracle } from "./history-oracle.ts";
import type { Play, Step } from "./history-programs.ts";

/** A window that truncates histories, and the text that fills it. */
export interface Window {
  /** Characters that fit. */
  readonly usable: number;
  readonly padding: string;
}

/** A turn that waits for the test, and its ending then. */
export interface Held {
  readonly turn: StoredResponse;
  readonly stream: LiveStream;
  readonly steps: readonly Step[];
  readonly holdAt: number;
  readonly play: Play;
  open(): void;
}

/** The expected result of a retry: an error, or a check of the reply. */
export type Replay = () => Rejected | ((again: Reply) => void);

/** A request with an Idempotency-Key and, if it was accepted, its result. */
export interface Keyed {
  readonly by: string;
  readonly path: string;
  readonly body: object;
  readonly headers: Record<string, string>;
  /** The expected result of a retry; null: as if the request had never been sent. */
  replay: Replay | null;
  readonly run: (by: string, body: object) => Promise<void>;
}

export class HistorySession {
  readonly service: TestService;
  /** The first key does most; the second is of its organization, the third of another. */
  readonly keys: readonly string[];
  readonly oracle = new HistoryOracle();
  readonly draws: HistoryDraws;
  readonly window: Window | null;
  readonly held: Held[] = [];
  readonly keyed: Keyed[] = [];
  /** The steps so far, to explain a difference. */
  readonly trace: string[] = [];

  constructor(service: TestService, keys: readonly string[], window: Window | null) {
    this.service = service;
    this.keys = keys;
    this.window = window;
    const running = () => this.held.flatMap(({ steps }) => steps);
    this.draws = new HistoryDraws(this.oracle, running, window?.padding ?? "");
  }

  /** The key by number; 0: the owner's. */
  key(by: number, owner = this.keys[0] ?? ""): string {
    return by === 0 ? owner : (this.keys.filter((key) => key !== owner)[by - 1] ?? owner);
  }

  /** The field of a request that lets its history be truncated. */
  get truncation(): object {
    return this.window === null ? {} : { truncation: "auto" };
  }

  async request(
    method: string,
    path: string,
    key: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    this.trace.push(
      `${this.keys.indexOf(key)} ${method} ${path} ${body === undefined ? "" : JSON.stringify(body)} ${JSON.stringify(headers)}`,
    );
    const reply = await this.service.request(method, path, { key, headers, ...(body === undefined ? {} : { body }) });
    this.trace.push(`  ${reply.status} ${reply.json?.id ?? reply.text.slice(0, 200)}`);
    return reply;
  }

  /** Runs work; an error that it throws reports all steps before it. */
  async traced(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw new Error(`\n${this.trace.join("\n")}\n${String(error)}`, { cause: error });
    }
  }
}
