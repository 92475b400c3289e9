// What a start says to people.

/** The address that clients on this machine use: a wildcard address is no place to connect to. */
export function baseUrlOf(host: string, port: number): string {
  return `${originOf(host, port)}/v1`;
}

/** The origin of a server that listens there. */
export function originOf(host: string, port: number): string {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

/** The first key, said as soon as it exists: nothing can show it again. */
export function greetWithKey(apiKey: string): string {
  return `\nAPI key:   ${apiKey}\n           (shown this once; \`turngate keys\` makes and revokes others)\n`;
}

/** The addresses and, with a key to show, a line to paste. */
export function greet(baseUrl: string, manageUrl: string, apiKey: string | null, model: string | null): string {
  const address = `Base URL:  ${baseUrl}\nManage:    ${manageUrl}/docs\n`;
  if (apiKey === null || model === null) return address;
  const body = JSON.stringify({ model, input: "Hello" });
  const request = `curl ${baseUrl}/responses -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '${body}'`;
  return `${address}Try it:    ${request}\n\n`;
}
