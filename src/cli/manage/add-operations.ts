// The commands of operations: their options are the fields of the input, their output is what the interface replies.
import { type Command as Commander, Option } from "commander";
import { isRequired } from "../../contract/manage/queries.ts";
import { type CommandOption, listOperations, type NamedOperation, type Subject } from "../../manage/operation.ts";
import { allowed, type Shape } from "../../manage/read-body.ts";
import { readText } from "../../manage/read-query.ts";
import { ORGANIZATION, parsedBy } from "../commands/options.ts";
import { linesOf, type Printed, prints, tableOf } from "../commands/output.ts";
import { runOperation, type Where } from "./run-operation.ts";

/** Adds the commands of a subject, in its order. */
export function addOperations(program: Commander, subject: Subject): void {
  for (const operation of listOperations(subject)) {
    if (operation.command !== null) addOperation(program, subject.about ?? "", operation);
  }
}

function addOperation(program: Commander, about: string, operation: NamedOperation): void {
  const { summary, path, fields } = operation;
  const { words = "", options = {}, optional = [], whenEmpty = "" } = operation.command ?? {};
  const [first = "", second] = words.split(" ");
  const group = () =>
    program.commands.find((known) => known.name() === first) ?? program.command(first).description(about);
  const command = second === undefined ? program.command(first) : group().command(second);
  const parameters = [...path.matchAll(/:(\w+)/g)].flatMap(([, name = ""]) =>
    name === "organization_id" ? [] : [name],
  );
  for (const name of parameters) {
    const { flags = `<${name}>`, help = "the id" } = options[name] ?? {};
    command.argument(flags, help);
  }
  command.description(summary.charAt(0).toLowerCase() + summary.slice(1));
  if (operation.scope === "organization") command.requiredOption(...ORGANIZATION);
  const taken = Object.entries(fields).map(([name, shape]) => {
    const option = optionOf(name, shape, options[name]);
    command.addOption(option.makeOptionMandatory(isRequired(shape) && !optional.includes(name)));
    return [name, option.attributeName()] as const;
  });
  command.option(
    "--url <url>",
    "a running service: the address of its management interface, instead of the store here",
  );
  command.option("--token <token>", "with --url: a token of the management interface, adm_…");
  command.action(
    prints(
      async (...given: readonly unknown[]) => {
        const values = new Map(Object.entries(given[parameters.length] ?? {}));
        const input = [
          ...parameters.map((name, at) => [name, given[at]]),
          ...taken.map(([name, attribute]) => [name, values.get(attribute)]),
        ].filter(([, value]) => value !== undefined);
        return runOperation(operation, Object.fromEntries(input), whereOf(values));
      },
      (reply) => describe(reply, whenEmpty),
    ),
  );
}

function optionOf(name: string, shape: Shape, { flags, help, read }: CommandOption = {}): Option {
  const option = new Option(flags ?? `--${name.replaceAll("_", "-")} <${name}>`, help ?? shape.description ?? "");
  if (shape.enum !== undefined) return option.choices([...shape.enum]);
  const parse = read ?? { from: (text: string) => readText(shape, text), allowed: allowed(shape) };
  return option.argParser(parsedBy((text) => parse.from(text), parse.allowed));
}

function whereOf(values: ReadonlyMap<string, unknown>): Where {
  const text = (name: string) => {
    const value = values.get(name);
    return typeof value === "string" ? value : undefined;
  };
  return { org: text("org"), url: text("url"), token: text("token") };
}

/** A reply for people: its fields as lines, its lists of records as tables. A page of a list is the list alone. */
function describe(reply: object, whenEmpty: string): string {
  const entries = Object.entries(reply);
  const isTable = ([, value]: readonly [string, unknown]) =>
    Array.isArray(value) && value.every((row) => typeof row === "object");
  const tables = entries.filter(isTable).map(([, rows]: [string, readonly Printed[]]) => tableOf(rows, whenEmpty));
  const lines = "data" in reply ? "" : linesOf(Object.fromEntries(entries.filter((entry) => !isTable(entry))));
  return [lines, ...tables].join("");
}
