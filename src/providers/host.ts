// A host: a service that serves a family's models in place of their maker, such as a cloud. docs/decisions/hosts.md
//
// A host is one file in the folder of its family, which names it in its `family.ts`. Without a `host` in turngate.yaml none is loaded.
import type { Clock } from "../ports/clock.ts";
import type { OutgoingFetch } from "../ports/outgoing-fetch.ts";
import type { UpstreamError } from "../ports/provider.ts";
import type { ExtraHeaders } from "./wire/extra-headers.ts";
import type { ErrorResponse } from "./wire/errors.ts";
import type { TextReader } from "./wire/utf8.ts";

/** `host` of a provider in turngate.yaml: its `type` and the keys of that type. */
export type HostSettings = Readonly<Record<string, string>> & { readonly type: string };

/** What a family says of one of its hosts. */
export interface HostDescriptor {
  /** `gen_ai.provider.name` of OpenTelemetry. */
  readonly genAiName: string;
  /** Whether models have any names there, such as those of deployments: none says which model it is. */
  readonly hasOwnNames?: boolean;
  readonly load: () => Promise<HostType>;
}

/** The part of a configured provider that its family and its host read. */
export interface EntryFields {
  readonly name: string;
  /** Null for the family's own address. */
  readonly baseUrl: string | null;
  /** Null for none. */
  readonly apiKey: string | null;
  /** Sent with every request. The values may be secrets. */
  readonly headers?: ExtraHeaders;
  /** Longest silence before and within a response; the turn's own limit when not given. */
  readonly timeoutSeconds?: number;
}

/** A free request that succeeds only with a valid key. */
export interface KeyCheck {
  readonly url: URL;
  /** Name, value, name, value. */
  readonly headers: readonly string[];
  /** Whether a response says that the key is wrong. */
  rejectsKey(status: number, body: string): boolean;
  /**
   * The fault that the words of a response of 4xx or 5xx name, as a sentence about the server without its subject; null: none. It quotes
   * nothing of the response.
   */
  faultOf?(status: number, body: string): string | null;
}

/** A configured provider as its host takes it. */
export interface HostedEntry extends EntryFields {
  readonly hostSettings: HostSettings;
}

/** The services that a host uses. */
export interface HostServices {
  /** Loads a package that does not come with the program. Rejects when it is not installed. */
  readonly loadLibrary: (name: string) => Promise<unknown>;
  readonly clock: Pick<Clock, "after" | "nowMs">;
  /** For the requests of those packages: they read the proxies in their own ways, or not at all. */
  readonly fetch: OutgoingFetch;
}

/** A fault of an entry: the key below the provider, and the end of a sentence that begins with it. */
export interface HostFault {
  readonly path: readonly string[];
  readonly message: string;
}

/** Everything the service knows of a host. */
export interface HostType {
  /** The keys of `host` that it knows beside `type`. */
  readonly keys: readonly string[];
  /** The packages that obtain the credentials of this entry. */
  librariesOf(entry: HostedEntry): readonly string[];
  /** What is wrong with an entry; null: nothing. `variables` are those of the environment. */
  findFault(entry: HostedEntry, variables: Readonly<Record<string, string | undefined>>): HostFault | null;
  /** Creates the host of an entry without a fault. Nothing is sent. */
  create(entry: HostedEntry, services: HostServices): Host;
}

/** One round's request, below the address. */
export interface RoundRequest {
  /** With a leading slash. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body: object;
  /** Name, value, name, value. */
  readonly headers: readonly string[];
}

/** A request as it will be sent. */
export interface OutgoingRequest extends Pick<RoundRequest, "path" | "headers"> {
  readonly method: "GET" | "POST";
  /** Scheme, host and port. */
  readonly origin: string;
  /** Empty for none. */
  readonly body: string;
}

/** What differs where an entry's models are hosted: address, headers and, where they differ, the rest. */
export interface Host {
  /** http or https; its path and query are kept. */
  readonly baseUrl: URL;
  /** Sent with every request: name, value, name, value. */
  readonly headers: readonly string[];
  /** The host's request for what the family would send to its maker. By default the same. */
  place?(request: RoundRequest, upstreamModel: string): RoundRequest;
  /**
   * Further headers of one request, with its credentials: a token, or a signature of all that is sent. Ends within a bounded time.
   * Rejects with an Error for the operator, without secrets.
   */
  authorize?(request: OutgoingRequest): Promise<readonly string[]>;
  /**
   * Notes that the provider rejected what `authorize` gave at this time (Unix milliseconds), before it ran anything. Returns whether the
   * next `authorize` has other credentials.
   */
  discardCredentials?(givenMs: number): boolean;
  /** Creates what makes server-sent events of the bytes of one response. By default they are events in UTF-8. */
  createReader?(): TextReader;
  /** The error of a response other than 2xx in a shape of the host's own; null: it has the family's shape. */
  errorOfResponse?(response: ErrorResponse): UpstreamError | null;
  /** A free request that succeeds only with valid credentials, which `authorize` adds. */
  readonly check: KeyCheck;
}
