/** P18: stored turns on PostgreSQL beside the embedded store, and several nodes on one database. */
import { closedLoop } from "../load/closed-loop.ts";
import { requestBytes } from "../load/request.ts";
import { responsesTurn } from "../load/turn.ts";
import { type Metrics, type Row, type Side, WARM_SECONDS } from "../row.ts";
import { createDatabase } from "../service/postgres.ts";
import { startTurngate, type Turngate } from "../service/turngate.ts";
import { responsesSide, type TurnLoad } from "./turn-side.ts";

const LOAD: TurnLoad = { model: "fake", isStream: false, clients: 256 };
const NODES = 3;
/** Of each node, whose provider takes 50 ms for a turn. */
const NODE_CLIENTS = 16;

export const postgres: Row = {
  seconds: 3,
  figures: [
    {
      id: "P18",
      measure: "stored turns/s on PostgreSQL, 256 at once ÷ the embedded store's",
      unit: "/s",
      better: "higher",
      ours: (read) => read("PostgreSQL", "rate"),
      other: (read) => read("embedded", "rate"),
      otherName: "embedded",
      limit: { firstLanding: 0.3, goal: 0.6 },
    },
    {
      id: "P18",
      measure: "Node CPU of a turn on PostgreSQL ÷ the embedded store's main thread",
      unit: "µs",
      better: "lower",
      ours: (read) => read("PostgreSQL", "cpu"),
      other: (read) => read("embedded", "main"),
      otherName: "embedded",
      limit: { firstLanding: 2, goal: 1.1 },
    },
    {
      id: "P18",
      measure: "statements a turn",
      unit: "",
      better: "lower",
      ours: (read) => read("PostgreSQL", "statements"),
      limit: { firstLanding: 12, goal: 4 },
    },
    ...[2, NODES].map((nodes) => ({
      id: "P18",
      measure: `turns/s of ${nodes} nodes with a slow provider ÷ one node's, ${NODE_CLIENTS} at once each`,
      unit: "/s",
      better: "higher" as const,
      ours: (read: (side: string, metric: string) => number) => read(sideName(nodes), "rate"),
      other: (read: (side: string, metric: string) => number) => read(sideName(1), "rate"),
      otherName: sideName(1),
    })),
  ],
  start: async (_ids, stage) => {
    const embedded = stage.keep(await startTurngate({ ...stage, isObserved: true }));
    const single = stage.keep(await startTurngate({ ...stage, isObserved: true, databaseUrl: await createDatabase() }));
    const shared = await createDatabase();
    const nodes: Turngate[] = [];
    // One after the other: the first creates the tables and the key.
    while (nodes.length < NODES) nodes.push(stage.keep(await startTurngate({ ...stage, databaseUrl: shared })));
    return {
      sides: [
        await observedSide("embedded", embedded),
        await observedSide("PostgreSQL", single),
        ...nodes.map((_, index) => sideOf(nodes.slice(0, index + 1))),
      ],
      warmSeconds: WARM_SECONDS,
      notes: ["P18: PostgreSQL may use both cores; its nodes share the gateway's core"],
    };
  },
};

function sideName(nodes: number): string {
  return nodes === 1 ? "1 node" : `${nodes} nodes`;
}

async function observedSide(name: string, turngate: Turngate): Promise<Side> {
  const { measure } = await responsesSide(name, turngate, LOAD, turngate.headers);
  return {
    name,
    measure: async (seconds) => {
      await turngate.ask("reset");
      const load = await measure(seconds);
      const observed = (await turngate.ask("read")) as Readonly<
        Record<"mainPerSecond" | "statementsPerSecond", number>
      >;
      const rate = load["rate"] ?? 0;
      return { ...load, main: observed.mainPerSecond / rate, statements: observed.statementsPerSecond / rate };
    },
  };
}

/** Clients of several nodes at once; their rates add up. */
function sideOf(nodes: readonly Turngate[]): Side {
  const [first] = nodes;
  const requests = [
    requestBytes(responsesTurn({ model: "fake-paced", isStream: false, headers: first?.headers ?? {} })),
  ];
  return {
    name: sideName(nodes.length),
    measure: async (seconds): Promise<Metrics> => {
      const loads = await Promise.all(
        nodes.map(({ port, pid }) => closedLoop({ port, pid, clients: NODE_CLIENTS, seconds, requests })),
      );
      return { rate: loads.reduce((sum, load) => sum + (load["rate"] ?? 0), 0) };
    },
  };
}
