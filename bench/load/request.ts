/** An HTTP/1.1 request as bytes, built once and sent many times. */
export interface RequestParts {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** Encodes a request. A body gets content type and length; the connection is kept alive. */
export function requestBytes({ method, path, headers = {}, body }: RequestParts): Buffer {
  const payload = body === undefined ? "" : JSON.stringify(body);
  const lines = [`${method} ${path} HTTP/1.1`, "host: 127.0.0.1"];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== undefined) {
    lines.push("content-type: application/json", `content-length: ${Buffer.byteLength(payload)}`);
  }
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${payload}`);
}
