/** The store of STORING: each message is a list of turns, committed as one durable transaction. */
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import type { FinishedTurn } from "./translate.ts";

const database = new DatabaseSync(String(workerData));
database.exec(`
  pragma journal_mode = wal;
  pragma synchronous = full;
  create table turns (id integer primary key, name text unique, response text) strict;
  create table items (id integer primary key, turn text, position integer, item text) strict;
  create table holds (id integer primary key, turn text unique, amount integer) strict;
  create table ledger (id integer primary key, turn text, kind text, amount integer, unique (turn, kind)) strict;
`);

const begin = database.prepare("begin immediate");
const end = database.prepare("commit");
const insertTurn = database.prepare("insert into turns (name, response) values (?, ?)");
const insertItem = database.prepare("insert into items (turn, position, item) values (?, ?, ?)");
const insertHold = database.prepare("insert into holds (turn, amount) values (?, ?)");
const insertEntry = database.prepare("insert into ledger (turn, kind, amount) values (?, ?, ?)");

parentPort?.on("message", (turns: readonly FinishedTurn[]) => {
  begin.run();
  for (const turn of turns) {
    insertTurn.run(turn.responseId, turn.response);
    insertItem.run(turn.responseId, 0, turn.request);
    insertItem.run(turn.responseId, 1, turn.text);
    insertHold.run(turn.responseId, 1000);
    insertEntry.run(turn.responseId, "settle", 1000);
  }
  end.run();
  parentPort?.postMessage("committed");
});
