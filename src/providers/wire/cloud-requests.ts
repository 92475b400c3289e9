// How the clouds' libraries send their requests for credentials: by our fetch, in the form that each library takes. They would read
// the proxies in their own ways, or not at all.
import type { TokenCredentialOptions } from "@azure/identity";
import type { gaxios } from "google-auth-library";
import type { OutgoingFetch } from "../../ports/outgoing-fetch.ts";

/** A request of AWS's clients. */
interface AwsRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** For AWS: the `requestHandler` of its clients. */
export function createAwsRequests(fetch: OutgoingFetch) {
  return {
    async handle(request: AwsRequest, { abortSignal = null }: { readonly abortSignal?: AbortSignal | null } = {}) {
      const { protocol, hostname, port, path, method, headers, body } = request;
      const url = `${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}${queryOf(request)}`;
      const response = await fetch(url, { method, headers, body: body ?? null, signal: abortSignal });
      return {
        response: {
          statusCode: response.status,
          headers: Object.fromEntries(response.headers),
          body: new Uint8Array(await response.arrayBuffer()),
        },
      };
    },
  };
}

function queryOf({ query = {} }: AwsRequest): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => encodeURIComponent(name) + (one === null ? "" : `=${encodeURIComponent(one)}`)),
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/** For Azure: the `httpClient` of its credentials. */
export function createAzureRequests(fetch: OutgoingFetch): NonNullable<TokenCredentialOptions["httpClient"]> {
  return {
    async sendRequest(request) {
      const { url, method, body, abortSignal } = request;
      const response = await fetch(url, {
        method,
        headers: request.headers.toJSON(),
        // The credentials send forms as text.
        body: typeof body === "string" ? body : null,
        signal: abortSignal instanceof AbortSignal ? abortSignal : null,
      });
      const { headers } = response;
      return {
        request,
        status: response.status,
        bodyAsText: await response.text(),
        headers: {
          get: (name) => headers.get(name) ?? undefined,
          has: (name) => headers.has(name),
          set: (name, value) => headers.set(name, String(value)),
          delete: (name) => headers.delete(name),
          toJSON: () => Object.fromEntries(headers),
          [Symbol.iterator]: () => headers[Symbol.iterator](),
        },
      };
    },
  };
}

/** For Google: the `fetchImplementation` of its transporters. */
export function createGoogleRequests(fetch: OutgoingFetch): NonNullable<gaxios.GaxiosOptions["fetchImplementation"]> {
  return async (input, { method, headers, body, signal } = {}) =>
    fetch(input instanceof Request ? input.url : String(input), {
      ...(method !== undefined && { method }),
      headers: Object.fromEntries(new Headers(headers)),
      body: body ?? null,
      signal: signal ?? null,
    });
}
