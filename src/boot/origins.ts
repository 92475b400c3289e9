// Addresses of the service's own servers, as clients on this machine use them.

/** The base URL of /v1. */
export function baseUrlOf(host: string, port: number): string {
  return `${originOf(host, port)}/v1`;
}

/** The origin of a server; a wildcard address, which nothing can connect to, becomes the loopback address. */
export function originOf(host: string, port: number): string {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}
