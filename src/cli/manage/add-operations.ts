// The commands of operations: their options are the fields of the input, their output is what the interface replies.
import { type Command as Commander, Option } from "commander";
import { OperatorError } from "../../config/operator-error.ts";
import {
  type Command,
  type CommandOption,
  listOperations,
  type NamedOperation,
  parametersOf,
  type Subject,
} from "../../manage/operation.ts";
import type { Shape } from "../../manage/read-body.ts";
import { allowedText, readText } from "../../manage/read-query.ts";
import { ORGANIZATION, parsedBy } from "../commands/options.ts";
import { linesOf, type Printed, prints, tableOf } from "../commands/output.ts";
import { needsField, runOperation, type Where } from "./run-operation.ts";

/** Adds the commands of a subject, in its order; returns the group of the last one. */
export function addOperations(program: Commander, subject: Subject): Commander {
  let group = program;
  for (const operation of listOperations(subject)) {
    const { command } = operation;
    if (command !== null) group = addOperation(program, subject.about ?? "", { ...operation, command });
  }
  return group;
}

function addOperation(
  program: Commander,
  about: string,
  operation: NamedOperation & { readonly command: Command },
): Commander {
  const { summary, scope, fields } = operation;
  const { words, options, variants, whenEmpty, ownerOf } = operation.command;
  const { help = summary.charAt(0).toLowerCase() + summary.slice(1) } = operation.command;
  const [first = "", second] = words.split(" ");
  const known = program.commands.find((group) => group.name() === first);
  const group = second === undefined ? program : (known ?? program.command(first).description(about));
  const command = group.command(second ?? first).description(help);
  // An organization is an argument where the command says so, otherwise an option.
  const parameters = parametersOf(operation).filter(
    (name) => name !== "organization_id" || options[name] !== undefined,
  );
  for (const name of parameters) {
    const { flags = `<${name}>`, help: what = "the id", aliases = {} } = options[name] ?? {};
    command.argument(flags, what);
    for (const [alias, described] of Object.entries(aliases)) command.option(alias, described);
  }
  // What only one of the operations takes is asked for when it is known which one runs.
  const alternatives = Object.values(variants).map(({ operation: variant }) => variant);
  if (scope === "organization" && !parameters.includes("organization_id")) {
    const [flags, what] = ORGANIZATION;
    const only = ownerOf === undefined ? "" : "; needed with --url and a token of no organization";
    const isNeeded = ownerOf === undefined && alternatives.every((variant) => variant.scope === scope);
    command.addOption(new Option(flags, what + only).makeOptionMandatory(isNeeded));
  }
  const taken = Object.entries(fields).map(([name, shape]) => {
    const option = optionOf(name, shape, options[name]);
    const isNeeded = needsField(operation, name) && alternatives.every((variant) => name in variant.fields);
    command.addOption(option.makeOptionMandatory(isNeeded));
    return [name, option.attributeName()] as const;
  });
  const others = Object.entries(variants).map(([name, { operation: variant, ...option }]) => {
    const made = optionOf(name, variant.fields[name] ?? {}, option);
    command.addOption(made);
    return [name, made.attributeName()] as const;
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
        const named = parameters.map((name, at) => [name, nameOf(options[name] ?? {}, given[at], values)] as const);
        const input = [...named, ...[...taken, ...others].map(([name, at]) => [name, values.get(at)] as const)];
        const where = { org: values.get("org"), url: values.get("url"), token: values.get("token") };
        const { organization_id: org = where.org, ...sent } = Object.fromEntries(
          input.filter(([, value]) => value !== undefined),
        );
        return runOperation(operation, sent, whereOf({ ...where, org }));
      },
      (reply) => describe(operation.command.show?.(reply) ?? reply, whenEmpty),
      (reply) => {
        const failure = operation.command.failure?.(reply) ?? null;
        if (failure !== null) throw new OperatorError(failure);
      },
    ),
  );
  return group;
}

/** What the argument names, or one of the options in its place. */
function nameOf({ flags = "", aliases }: CommandOption, given: unknown, values: ReadonlyMap<string, unknown>): unknown {
  if (aliases === undefined) return given;
  const others = Object.keys(aliases).map((alias) => new Option(alias));
  const names = [given, ...others.map((option) => values.get(option.attributeName()))];
  const [name, ...more] = names.filter((one) => one !== undefined);
  if (name !== undefined && more.length === 0) return name;
  const ways = others.map(({ long }) => long).join(" or ");
  throw new OperatorError(`name the ${flags.slice(1, -1)} once: as the argument, or with ${ways}.`);
}

function optionOf(name: string, shape: Shape, { flags, help, read }: CommandOption = {}): Option {
  const isFlag = shape.type === "boolean";
  const named = `--${name.replaceAll("_", "-")}${isFlag ? "" : ` <${name}>`}`;
  const option = new Option(flags ?? named, help ?? shape.description ?? `at most ${shape.maximum}`);
  if (isFlag) return option;
  if (shape.default !== undefined) option.default(shape.default);
  if (shape.enum !== undefined) return option.choices([...shape.enum]);
  const parse = read ?? { from: (text: string) => readText(shape, text), allowed: allowedText(shape) };
  return option.argParser(parsedBy((text) => parse.from(text), parse.allowed));
}

function whereOf(values: { readonly org: unknown; readonly url: unknown; readonly token: unknown }): Where {
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  return { org: text(values.org), url: text(values.url), token: text(values.token) };
}

/** A reply for people: its fields as lines, its lists of records as tables. A page of a list is the list alone. */
function describe(reply: object, whenEmpty: string): string {
  if (Array.isArray(reply)) return tableOf(reply, whenEmpty);
  const entries = Object.entries(reply);
  const isTable = ([, value]: readonly [string, unknown]) =>
    Array.isArray(value) && value.every((row) => typeof row === "object");
  const tables = entries.filter(isTable).map(([, rows]: [string, readonly Printed[]]) => tableOf(rows, whenEmpty));
  const lines = "data" in reply ? "" : linesOf(Object.fromEntries(entries.filter((entry) => !isTable(entry))));
  return [lines, ...tables].join("");
}
