// A pooler in transaction mode in front of a PostgreSQL server, as PgBouncer is: each transaction of a client gets another one of few
// sessions, and nothing that a transaction leaves in its session is there for the next.
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Sessions of each database. More transactions wait. */
const SESSIONS = 4;

interface Session {
  readonly socket: Socket;
  /** Receives what the server sends. */
  onMessage: (message: Buffer) => void;
}

/** Starts a pooler to the server of an address; it listens as long as the process runs. Returns the address of a database on it. */
export async function startPooler(target: string): Promise<(database: string) => string> {
  const port = Number(new URL(target).port);
  const pools = new Map<string, ReturnType<typeof createSessions>>();
  const server = createServer({ noDelay: true }, (client) => {
    client.on("error", () => {});
    let sessions: ReturnType<typeof createSessions>;
    let session: Session | null = null;
    let waiting: Buffer[] = [];
    /** Answers that end with ReadyForQuery and have not come. */
    let unanswered = 0;
    let isAfterSync = true;
    const send = (message: Buffer): void => {
      const type = message.toString("latin1", 0, 1);
      isAfterSync = type === "Q" || type === "S";
      if (isAfterSync) unanswered++;
      if (session !== null) session.socket.write(message);
      else if (waiting.push(message) === 1) sessions.take(attach);
    };
    const attach = (taken: Session): void => {
      session = taken;
      taken.onMessage = (message) => {
        client.write(message);
        if (!isReady(message)) return;
        unanswered--;
        const isIdle = message.toString("latin1", 5, 6) === "I";
        if (!isIdle || unanswered > 0 || !isAfterSync) return;
        session = null;
        sessions.putBack(taken);
      };
      for (const message of waiting) taken.socket.write(message);
      waiting = [];
    };
    client.on("close", () => session?.socket.destroy());
    let isStarted = false;
    readMessages(
      client,
      (message) => {
        const type = message.toString("latin1", 0, 1);
        if (isStarted) return type === "X" ? client.end() : send(message);
        isStarted = true;
        const database = /\0database\0([^\0]+)\0/.exec(message.toString("latin1"))?.[1] ?? "";
        sessions = pools.get(database) ?? createSessions(port, database);
        pools.set(database, sessions);
        return client.write(WELCOME);
      },
      { startsWithLength: true },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  return (database) => `postgres://postgres@127.0.0.1:${(server.address() as AddressInfo).port}/${database}`;
}

/** The sessions of a database, given out in turn. */
function createSessions(port: number, database: string) {
  const free: Session[] = [];
  const queue: ((session: Session) => void)[] = [];
  let opened = 0;
  const give = (session: Session): void => {
    const next = queue.shift();
    if (next === undefined) free.push(session);
    else next(session);
  };
  const open = (): void => {
    opened++;
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    socket.unref();
    const session: Session = { socket, onMessage: (message) => isReady(message) && give(session) };
    socket.on("error", () => {});
    socket.on("close", () => {
      opened--;
      if (free.includes(session)) free.splice(free.indexOf(session), 1);
    });
    readMessages(socket, (message) => session.onMessage(message), { startsWithLength: false });
    socket.write(startupOf(database));
  };
  return {
    take(then: (session: Session) => void): void {
      queue.push(then);
      // Every session is opened before one is used again: two transactions in a row never meet in one.
      if (opened < SESSIONS) open();
      else if (free.length > 0) give(free.shift() as Session);
    },
    putBack(session: Session): void {
      session.onMessage = (message) => isReady(message) && give(session);
      session.socket.write(queryOf("discard all"));
    },
  };
}

function isReady(message: Buffer): boolean {
  return message[0] === "Z".charCodeAt(0);
}

/** Calls back with each whole message of the protocol; that of a client's start has no type before its length. */
function readMessages(
  socket: Socket,
  onMessage: (message: Buffer) => void,
  { startsWithLength }: { startsWithLength: boolean },
): void {
  let chunks: Buffer[] = [];
  let [length, wanted] = [0, 5];
  let typeBytes = startsWithLength ? 0 : 1;
  socket.on("data", (bytes: Buffer) => {
    chunks.push(bytes);
    length += bytes.length;
    // A large message is joined once it is whole.
    if (length < wanted) return;
    let rest = Buffer.concat(chunks);
    for (;;) {
      wanted = rest.length < typeBytes + 4 ? 5 : typeBytes + rest.readInt32BE(typeBytes);
      if (rest.length < wanted) break;
      onMessage(rest.subarray(0, wanted));
      rest = rest.subarray(wanted);
      typeBytes = 1;
    }
    [chunks, length] = [[rest], rest.length];
  });
}

/** AuthenticationOk, and ReadyForQuery outside of a transaction. */
const WELCOME = Buffer.from("R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I", "latin1");

const PROTOCOL_3 = 3 << 16;

function startupOf(database: string): Buffer {
  const body = Buffer.from(`user\0postgres\0database\0${database}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(head.length + body.length);
  head.writeInt32BE(PROTOCOL_3, 4);
  return Buffer.concat([head, body]);
}

function queryOf(sql: string): Buffer {
  const head = Buffer.alloc(5);
  head.write("Q");
  head.writeInt32BE(4 + sql.length + 1, 1);
  return Buffer.concat([head, Buffer.from(`${sql}\0`)]);
}
