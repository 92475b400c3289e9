// A site of somebody else, which a signed-in person visits with the same browser.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface AttackingSite {
  /** Its origin on the host of the app. Only the port differs, so the app's cookies go along: `SameSite` is about hosts. */
  readonly sameSite: string;
  /** The same pages under another host, to which the app's cookies are foreign. */
  readonly crossSite: string;
  close(): Promise<void>;
}

/** Starts the site: every path is a page whose body is the query's `html`, and which may run and send anything. */
export async function startAttackingSite(): Promise<AttackingSite> {
  const server = createServer((request, response) => {
    const html = new URL(request.url ?? "/", "http://localhost").searchParams.get("html") ?? "";
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(`<!doctype html><title>attack</title>${html}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    sameSite: `http://127.0.0.1:${port}`,
    crossSite: `http://localhost:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
