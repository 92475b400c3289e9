// What all test files of a run share because it takes seconds to start. The runner's process starts it when the first
// file asks, and it ends with the runner. A file that runs without the runner's global setup has it for itself.
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

const ADDRESS = "TEST_SHARED";

/** Each thing by its name: a function that starts it and resolves to its address. */
export type Shared = Readonly<Record<string, () => Promise<string>>>;

/** Called in the runner's process: offers these things to the test files. */
export async function offer(things: Shared): Promise<void> {
  const started = new Map<string, Promise<string>>();
  const server = createServer((request, response) => {
    const name = request.url?.slice(1) ?? "";
    const start = things[name] ?? (() => Promise.reject(new Error(`nothing is called ${name}`)));
    const thing = started.get(name) ?? start();
    started.set(name, thing);
    thing.then(
      (address) => response.end(address),
      (error: Error) => response.writeHead(500).end(error.stack),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  process.env[ADDRESS] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The address of a thing that the runner shares; null when there is none that does. */
export async function askFor(name: string): Promise<string | null> {
  const address = process.env[ADDRESS];
  if (address === undefined) return null;
  // Not fetch, which would have to be loaded in each process.
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(new URL(name, address), { agent: false }, resolve).on("error", reject);
  });
  const body = await text(answer);
  if (answer.statusCode !== 200) throw new Error(body);
  return body;
}
