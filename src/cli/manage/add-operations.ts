// The commands of operations: their options are the fields of the input, their output is what the interface replies.
import { type Command as Commander, Option } from "commander";
import { timeOf } from "../../base/time.ts";
import { OperatorError } from "../../../packages/kit/operator-error.ts";
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
import { addServiceOptions, ORGANIZATION, parsedBy } from "../commands/options.ts";
import { linesOf, type Printed, prints, tableOf } from "../../../packages/kit/output.ts";
import { needsField, runOperation, type Where } from "./run-operation.ts";

/**
 * Adds the commands of a subject, in its order; returns the group of the last one. `withoutStore` replies to those that
 * need no store here.
 */
export function addOperations(
  program: Commander,
  subject: Subject,
  withoutStore: Readonly<Record<string, () => Promise<object>>> = {},
): Commander {
  let group = program;
  for (const operation of listOperations(subject)) {
    const { command } = operation;
    if (command === null) continue;
    const here = withoutStore[operation.operation];
    group = addOperation(program, { about: subject.about ?? "", operation: { ...operation, command }, here });
  }
  return group;
}

interface Added {
  readonly about: string;
  readonly operation: NamedOperation & { readonly command: Command };
  readonly here: (() => Promise<object>) | undefined;
}

function addOperation(program: Commander, { about, operation, here }: Added): Commander {
  const { summary, scope, fields } = operation;
  const { words, options, variants, presets, whenEmpty, ownerOf, isDefault } = operation.command;
  const { help = summary.charAt(0).toLowerCase() + summary.slice(1) } = operation.command;
  const [first = "", second] = words.split(" ");
  const known = program.commands.find((group) => group.name() === first);
  const group = second === undefined ? program : (known ?? program.command(first).description(about));
  const command = group.command(second ?? first, { isDefault }).description(help);
  // An organization is an argument where the command says so, otherwise an option.
  const parameters = parametersOf(operation).filter(
    (name) => name !== "organization_id" || options[name] !== undefined,
  );
  for (const name of parameters) {
    const { flags = `<${name}>`, help: what = "the id", aliases = {} } = options[name] ?? {};
    command.argument(flags, what);
    for (const [alias, described] of Object.entries(aliases)) command.option(alias, described);
  }
  // An option that not every variant needs is checked when it is known which of them runs.
  const alternatives = Object.values(variants).map(({ operation: variant }) => variant);
  if (scope === "organization" && !parameters.includes("organization_id")) {
    const [flags, what] = ORGANIZATION;
    const only = ownerOf === undefined ? "" : "; needed with --url and a token of no organization";
    const isNeeded = ownerOf === undefined && alternatives.every((variant) => variant.scope === scope);
    command.addOption(new Option(flags, what + only).makeOptionMandatory(isNeeded));
  }
  const taken = Object.entries(fields).flatMap(([name, shape]) => {
    const described = options[name];
    if (described === null) return [];
    const option = optionOf(name, shape, described);
    const isNeeded = needsField(operation, name) && alternatives.every((variant) => name in variant.fields);
    command.addOption(option.makeOptionMandatory(isNeeded));
    return [{ name, shape, option: described ?? {}, at: option.attributeName() }];
  });
  const others = Object.entries(variants).map(([name, { operation: variant, ...option }]) => {
    const shape = variant.fields[name] ?? {};
    const made = optionOf(name, shape, option);
    command.addOption(made);
    return { name, shape, option, at: made.attributeName() };
  });
  const flags = Object.entries(presets).map(([flag, { help: what, sets }]) => {
    const made = new Option(flag, what);
    command.addOption(made);
    return { sets, at: made.attributeName() };
  });
  if (hasPages(operation)) {
    command.addOption(new Option("--all", "every entry, however many there are").conflicts("limit"));
  }
  addServiceOptions(command).action(
    prints(
      async (...given: readonly unknown[]) => {
        const values = new Map(Object.entries(given[parameters.length] ?? {}));
        const named = parameters.map((name, at) => [name, nameOf(options[name] ?? {}, given[at], values)] as const);
        const input = [...taken, ...others].map(
          ({ name, shape, option, at }) => [name, valueOf(shape, option, values.get(at))] as const,
        );
        const set = flags.flatMap(({ sets, at }) => (values.get(at) === true ? Object.entries(sets) : []));
        const where = { org: values.get("org"), url: values.get("url"), token: values.get("token") };
        const { organization_id: org = where.org, ...sent } = Object.fromEntries(
          [...set, ...named, ...input].filter(([, value]) => value !== undefined),
        );
        return runOperation(
          operation,
          sent,
          { ...whereOf({ ...where, org }), isAll: values.get("all") === true },
          here,
        );
      },
      (reply) => describe(operation.command.show?.(reply) ?? withTimes(reply, operation.shape), whenEmpty),
      (reply) => {
        const failure = operation.command.failure?.(reply) ?? null;
        if (failure !== null) throw new OperatorError(failure);
      },
    ),
  );
  return group;
}

/** Whether the operation is a list of which a page has a size. */
function hasPages({ method, fields }: NamedOperation): boolean {
  const limit = fields["limit"];
  return method === "GET" && limit !== undefined && "default" in limit;
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

function optionOf(name: string, given: Shape, { flags, help, read, none }: CommandOption = {}): Option {
  const shape = given.anyOf?.find(({ type }) => type !== "null") ?? given;
  const isFlag = shape.type === "boolean";
  const named = `--${name.replaceAll("_", "-")}${isFlag ? "" : ` <${name}>`}`;
  const described = none === undefined ? given.description : given.description?.replace("null:", `\`${none}\`:`);
  const option = new Option(flags ?? named, help ?? described ?? `at most ${shape.maximum}`);
  if (isFlag) return option;
  // A flag stands for the only word that the field may have.
  if (!option.required && shape.enum?.length === 1) return option.preset(shape.enum[0]);
  if (shape.default !== undefined) option.default(shape.default);
  if (shape.enum !== undefined) return option.choices([...shape.enum]);
  if (option.variadic) return option;
  const parse = read ?? { from: (text: string) => readText(shape, text), allowed: allowedText(shape) };
  const other = none === undefined ? "" : `, or ${none}`;
  return option.argParser(parsedBy((text) => (text === none ? text : parse.from(text)), parse.allowed + other));
}

/** The value of a field: a list of texts is sent with commas where the field is a text. */
function valueOf(shape: Shape, { none }: CommandOption, given: unknown): unknown {
  const isNone = none !== undefined && [given].flat().join(" ") === none;
  if (!isNone) return Array.isArray(given) && shape.type === "string" ? given.join(",") : given;
  if (shape.anyOf !== undefined) return null;
  return shape.type === "array" ? [] : undefined;
}

function whereOf(values: { readonly org: unknown; readonly url: unknown; readonly token: unknown }): Where {
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  return { org: text(values.org), url: text(values.url), token: text(values.token) };
}

/** A reply in which the fields that are Unix seconds by their shape are times as people read them. */
function withTimes<Value>(value: Value, shape: Shape): Value;
function withTimes(value: unknown, shape: Shape): unknown {
  const inner = shape.anyOf?.find(({ type }) => type !== "null") ?? shape;
  if (Array.isArray(value)) return value.map((each: unknown) => withTimes(each, inner.items ?? {}));
  if (typeof value === "number")
    return /Unix second/.test(`${shape.description} ${inner.description}`) ? timeOf(value) : value;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries<unknown>({ ...value });
  return Object.fromEntries(entries.map(([name, of]) => [name, withTimes(of, inner.properties?.[name] ?? {})]));
}

/** A reply for people: its fields as lines, its lists of records as tables. A page of a list is the list alone. */
function describe(reply: object | string, whenEmpty: string): string {
  if (typeof reply === "string") return `${reply}\n`;
  if (Array.isArray(reply)) return tableOf(reply, whenEmpty);
  const entries = Object.entries(reply);
  const isTable = ([, value]: readonly [string, unknown]) =>
    Array.isArray(value) && value.every((row) => typeof row === "object");
  const tables = entries.filter(isTable).map(([, rows]: [string, readonly Printed[]]) => tableOf(rows, whenEmpty));
  const lines = "data" in reply ? "" : linesOf(Object.fromEntries(entries.filter((entry) => !isTable(entry))));
  return [lines, ...tables].join("");
}
