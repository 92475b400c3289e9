/** One HTTP/1.1 request as the bytes that go on the wire, built once and sent many times. */
export interface RequestParts {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** The bytes of a request. A body gets its content type and length; the connection is kept alive. */
export function requestBytes({ method, path, headers = {}, body }: RequestParts): Buffer {
  const payload = body === undefined ? "" : JSON.stringify(body);
  const lines = [`${method} ${path} HTTP/1.1`, "host: 127.0.0.1"];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== undefined) {
    lines.push("content-type: application/json", `content-length: ${Buffer.byteLength(payload)}`);
  }
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${payload}`);
}
