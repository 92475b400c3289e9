// One statement for several executions of a statement, over lists of their parameters.
import type { ClientBase, Pool } from "pg";
import type { Parameters, Statement } from "../../engine/transaction.ts";
import type { Translate } from "./translate.ts";
import { encodeValue } from "./execute.ts";

/** Executes a statement once for each of several parameters. */
export interface Merge {
  /**
   * Whether it can; the first question about a statement reads its types, and the answer is no until they are known.
   */
  canMerge(statement: Statement): boolean;
  /** Resolves to the results in the order of the parameters. */
  execute(client: ClientBase, statement: Statement, parameters: readonly Parameters[]): Promise<readonly unknown[]>;
}

interface Merged {
  readonly text: string;
  readonly names: readonly string[];
}

/** Creates the merging of statements. Their types are read on connections of the pool. */
export function createMerge(translate: Translate, pool: Pool, prepares: boolean): Merge {
  /** By slot; null: being read, or not to be merged. */
  const known: (Merged | null | undefined)[] = [];
  const learn = async (statement: Statement): Promise<void> => {
    known[statement.slot] = null;
    const { text, names } = translate(statement);
    const over = mergeText(statement.kind, text);
    if (over === null || names.length === 0) return;
    const name = `learn_${statement.slot}`;
    // One message each: behind a pooler its statements stay together.
    const types = await readTypes(pool, name, text);
    const merged = over(types);
    // Rejects where the form does not allow it after all; the statement then stays as it is.
    await pool.query(`prepare ${name} as ${merged}; deallocate ${name}`);
    known[statement.slot] = { text: merged, names };
  };
  return {
    canMerge(statement) {
      // Without the types each execution goes by itself, as before.
      if (known[statement.slot] === undefined) learn(statement).catch(ignore);
      return known[statement.slot] != null;
    },
    async execute(client, statement, parameters) {
      const merged = known[statement.slot];
      if (merged == null) throw new Error("This statement cannot be merged.");
      const values = merged.names.map((name) => parameters.map((each) => encodeValue(each[name])));
      const name = prepares ? { name: `m${statement.slot}` } : {};
      const { rows } = await client.query<MergedRow>({ ...name, text: merged.text, values });
      return resultsOf(statement.kind, rows, parameters.length);
    },
  };
}

/** A row of a merged select or insert: to which execution it belongs, from 1. */
interface MergedRow {
  readonly executionNumber: number;
  readonly id: number;
}

/** The types of a statement's parameters, as PostgreSQL infers them. */
async function readTypes(pool: Pool, name: string, text: string): Promise<readonly string[]> {
  const replies = (await pool.query(
    `prepare ${name} as ${text};
     select parameter_types::text[] as types from pg_prepared_statements where name = '${name}';
     deallocate ${name}`,
  )) as unknown as readonly { readonly rows: readonly { readonly types: readonly string[] | string }[] }[];
  const types = replies[1]?.rows[0]?.types ?? [];
  return typeof types === "string" ? types.slice(1, -1).split(",") : types;
}

const INSERT =
  /^\s*insert into (?<table>\S+) \((?<columns>[^)]+)\)\s+values \((?<values>[^)]+)\)(?<returning>\s+returning id)?\s*$/;
const UPDATE =
  /^(?<change>\s*update \S+\s+set (?:(?!\b(?:from|where|select)\b)[\s\S])+)(?<where>\bwhere\b(?:(?!\bselect\b)[\s\S])+)$/;
const SELECT = /^\s*select\b/;

/** The merged text of a statement by the types of its parameters; null for one whose kind or form does not allow it. */
export function mergeText(kind: Statement["kind"], text: string): ((types: readonly string[]) => string) | null {
  const perExecution = text.replaceAll(/\$(\d+)/g, "u.p$1");
  const lists = (types: readonly string[]) =>
    `unnest(${types.map((type, index) => `$${index + 1}::${type}[]`).join(", ")}) with ordinality as u(${types
      .map((_, index) => `p${index + 1}`)
      .join(", ")}, execution)`;
  if (kind === "one" || kind === "many" || kind === "lock") {
    if (!SELECT.test(text)) return null;
    return (types) =>
      `select u.execution as "executionNumber", q.* from ${lists(types)} cross join lateral (${perExecution}) q`;
  }
  const insert = INSERT.exec(perExecution)?.groups;
  if (insert !== undefined && (kind === "insert" || kind === "write")) {
    const { table, columns, values, returning = "" } = insert;
    return (types) =>
      `insert into ${table} (${columns}) select ${values} from ${lists(types)} order by u.execution${returning}`;
  }
  const update = UPDATE.exec(perExecution)?.groups;
  if (update === undefined || kind !== "write") return null;
  return (types) => `${update["change"]} from ${lists(types)} ${update["where"]}`;
}

function resultsOf(kind: Statement["kind"], rows: readonly MergedRow[], executions: number): readonly unknown[] {
  if (kind === "write" || kind === "lock") return Array.from({ length: executions });
  // The rows of an insert come in the order in which they were inserted.
  if (kind === "insert") return rows.map(({ id }) => ({ changes: 1, id }));
  const byExecution: MergedRow[][] = Array.from({ length: executions }, () => []);
  for (const row of rows) byExecution[row.executionNumber - 1]?.push(row);
  return kind === "many" ? byExecution : byExecution.map(([first]) => first);
}

function ignore(): void {}
