// A node as a process of its own on which time passes faster, so that its lease is over sooner. fast-nodes.ts starts it with the address
// of its database and the factor; it sends its own address, and ends with its parent.
import { createService } from "../../src/boot/service.ts";
import { openStore } from "../../src/boot/store.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Log } from "../../src/ports/log.ts";
import type { NodeStore } from "../../src/ports/store/nodes.ts";
import { createSystemClock } from "../../src/system/clock.ts";
import { PRICES } from "../support/money.ts";
import { configOf, testModel } from "../support/service-config.ts";

const [location = "", factor = ""] = process.argv.slice(2);
const speed = Number(factor);
process.on("disconnect", () => process.exit(1));

const real = createSystemClock();
const clock: Clock = {
  nowMs: real.nowMs,
  monotonicMs: () => real.monotonicMs() * speed,
  after: (milliseconds, callback) => real.after(milliseconds / speed, callback),
};

/** The database's clock, by which leases are judged, is not faster. */
function shorten(nodes: NodeStore): NodeStore {
  return {
    ...nodes,
    join: (node) => nodes.join({ ...node, leaseMs: Math.round(node.leaseMs / speed) }),
    renew: (renewal) => nodes.renew({ ...renewal, leaseMs: Math.round(renewal.leaseMs / speed) }),
  };
}

const ignore = (): void => {};
const log: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
const models = [testModel("simulated/echo", { provider: "simulated", upstreamModel: "echo", prices: PRICES })];
const { gateway, server } = await createService(
  configOf("", { database: { engine: "postgres", location }, models }),
  log,
  {},
  {
    clock,
    load: { isOverloaded: () => false, stop: ignore },
    openStore: async (...given) => {
      const opened = await openStore(...given);
      return { ...opened, nodes: opened.nodes && shorten(opened.nodes) };
    },
  },
);
await gateway.recover();
const { port } = await server.listen({ host: "127.0.0.1", port: 0 });
process.send?.(`http://127.0.0.1:${port}/v1`);
