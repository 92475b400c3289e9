// The commands of operations: their options are the fields of the input, their output is what the interface replies.
import { type Command as Commander, Option } from "commander";
import { timeOf } from "../../base/time.ts";
import { OperatorError } from "../../../packages/kit/operator-error.ts";
import {
  type Command,
  type CommandOption,
  listOperations,
  type NamedOperation,
  nounOf,
  parametersOf,
  type Subject,
} from "../../manage/definition/operation.ts";
import type { Shape } from "../../manage/definition/read-body.ts";
import { allowedText, readText } from "../../manage/definition/read-query.ts";
import { addServiceOptions, ORGANIZATION, parsedBy } from "../commands/options.ts";
import { linesOf, type Printed, prints, tableOf } from "../../../packages/kit/output.ts";
import { type RunOptions, needsField, runOperation } from "./run-operation.ts";

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
    const here = withoutStore[operation.name];
    group = addOperation(program, { about: subject.about ?? "", operation: { ...operation, command }, here });
  }
  return group;
}

interface Added {
  readonly about: string;
  readonly operation: NamedOperation & { readonly command: Command };
  readonly here: (() => Promise<object>) | undefined;
}

/** What a person wrote: the arguments in their order, the options by their names. */
interface Line {
  readonly args: readonly unknown[];
  readonly options: ReadonlyMap<string, unknown>;
}

/** Finds fields of the input in a line. */
type Reader = (line: Line) => object;

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
  const named = parameters.map((name, at) => addArgument(command, { name, at, option: options[name] ?? {} }));
  // An option that not every variant needs is checked when it is known which of them runs.
  const alternatives = Object.values(variants).map(({ operation: variant }) => variant);
  if (scope === "organization" && !parameters.includes("organization_id")) {
    const [flags, what] = ORGANIZATION;
    const only = ownerOf === undefined ? "" : "; needed with --url and a token of no organization";
    const isNeeded = ownerOf === undefined && alternatives.every((variant) => variant.scope === scope);
    command.addOption(new Option(flags, what + only).makeOptionMandatory(isNeeded));
  }
  const own = Object.entries(fields).flatMap(([name, shape]) => {
    const option = options[name];
    if (option === null) return [];
    const isNeeded = needsField(operation, name) && alternatives.every((variant) => name in variant.fields);
    return addField(command, { name, shape, option: option ?? {}, isNeeded });
  });
  const others = Object.entries(variants).map(([name, { operation: variant, ...option }]) =>
    addField(command, { name, shape: variant.fields[name] ?? {}, option, isNeeded: false }),
  );
  const preset = Object.entries(presets).map(([flags, { help: what, sets }]) => addPreset(command, flags, what, sets));
  if (hasPages(operation)) {
    command.addOption(new Option("--all", "every entry, however many there are").conflicts("limit"));
  }
  // A field's own option stands where a preset sets it too.
  const readers = [...preset, ...named, ...own, ...others];
  addServiceOptions(command).action(
    prints(
      async (...values: readonly unknown[]) => {
        const line = { args: values, options: new Map(Object.entries(values[parameters.length] ?? {})) };
        const found: Readonly<Record<string, unknown>> = Object.assign({}, ...readers.map((read) => read(line)));
        const { organization_id: org = line.options.get("org"), ...input } = found;
        return runOperation(operation, input, whereOf(line, org), here);
      },
      (reply) =>
        describe(withTimes(operation.command.show?.(reply) ?? reply, operation.output.shape), whenEmpty) +
        (hasPages(operation) ? restOf(reply) : ""),
      (reply) => {
        const failure = operation.command.failure?.(reply) ?? null;
        if (failure !== null) throw new OperatorError(failure);
      },
    ),
  );
  return group;
}

/** An argument, and the options that may stand in its place. */
function addArgument(
  command: Commander,
  { name, at, option }: { readonly name: string; readonly at: number; readonly option: CommandOption },
): Reader {
  const noun = nounOf(name);
  const { flags = `<${noun}>`, help = `the ${noun}'s id`, aliases = {} } = option;
  command.argument(flags, help);
  const others = Object.entries(aliases).map(([alias, what]) => new Option(alias, what));
  for (const other of others) command.addOption(other);
  return ({ args, options }) => {
    const ways = [args[at], ...others.map((other) => options.get(other.attributeName()))];
    const [value, ...more] = ways.filter((one) => one !== undefined);
    if (others.length === 0 || (value !== undefined && more.length === 0)) return field(name, value);
    const longs = others.map(({ long }) => long).join(" or ");
    throw new OperatorError(`name the ${noun} once: as the argument, or with ${longs}.`);
  };
}

/** The option of a field. */
function addField(
  command: Commander,
  parameter: {
    readonly name: string;
    readonly shape: Shape;
    readonly option: CommandOption;
    readonly isNeeded: boolean;
  },
): Reader {
  const { name, shape, option, isNeeded } = parameter;
  const made = optionOf(name, shape, option);
  command.addOption(made.makeOptionMandatory(isNeeded));
  return ({ options }) => field(name, valueOf(shape, option, options.get(made.attributeName())));
}

/** A flag that sets several fields. */
function addPreset(command: Commander, flags: string, help: string, sets: object): Reader {
  const made = new Option(flags, help);
  command.addOption(made);
  return ({ options }) => (options.get(made.attributeName()) === true ? sets : {});
}

/** A field of the input; nothing for one that was left out. */
function field(name: string, value: unknown): object {
  return value === undefined ? {} : { [name]: value };
}

/** Whether the operation is a list of which a page has a size. */
export function hasPages({ method, fields }: NamedOperation): boolean {
  const limit = fields["limit"];
  return method === "GET" && limit !== undefined && "default" in limit;
}

function optionOf(name: string, declared: Shape, { flags, help, read, none }: CommandOption = {}): Option {
  const shape = declared.anyOf?.find(({ type }) => type !== "null") ?? declared;
  const isFlag = shape.type === "boolean";
  const named = `--${name.replaceAll("_", "-")}${isFlag ? "" : ` <${name}>`}`;
  const described = none === undefined ? declared.description : declared.description?.replace("null:", `\`${none}\`:`);
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
function valueOf(shape: Shape, { none }: CommandOption, value: unknown): unknown {
  const isNone = none !== undefined && [value].flat().join(" ") === none;
  if (!isNone) return Array.isArray(value) && shape.type === "string" ? value.join(",") : value;
  if (shape.anyOf !== undefined) return null;
  return shape.type === "array" ? [] : undefined;
}

function whereOf({ options }: Line, org: unknown): RunOptions {
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  const [url, token] = [text(options.get("url")), text(options.get("token"))];
  return { org: text(org), url, token, isAll: options.get("all") === true };
}

/** A reply in which the fields that are times by their shape are written as people read them. */
function withTimes<Value>(value: Value, shape: Shape): Value;
function withTimes(value: unknown, shape: Shape): unknown {
  const inner = shape.anyOf?.find(({ type }) => type !== "null") ?? shape;
  if (Array.isArray(value)) return value.map((each: unknown) => withTimes(each, inner.items ?? {}));
  if (typeof value === "number") return inner.format === "unixtime" ? timeOf(value) : value;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries<unknown>({ ...value });
  return Object.fromEntries(entries.map(([name, of]) => [name, withTimes(of, inner.properties?.[name] ?? {})]));
}

/** What follows a page of a list that goes on. */
function restOf(reply: object): string {
  return "has_more" in reply && reply.has_more === true ? "There are more: give --all, or a larger --limit.\n" : "";
}

/**
 * A reply for people: its fields as lines, its lists of records as tables. A page of a list is the list alone; an empty
 * list beside other fields is one of the lines.
 */
function describe(reply: object | string, whenEmpty: string): string {
  if (typeof reply === "string") return `${reply}\n`;
  if (Array.isArray(reply)) return tableOf(reply, whenEmpty);
  const entries = Object.entries(reply);
  const isTable = ([name, value]: readonly [string, unknown]) =>
    Array.isArray(value) && (name === "data" || value.length > 0) && value.every((row) => typeof row === "object");
  const tables = entries.filter(isTable).map(([, rows]: [string, readonly Printed[]]) => tableOf(rows, whenEmpty));
  const lines = "data" in reply ? "" : linesOf(Object.fromEntries(entries.filter((entry) => !isTable(entry))));
  return [lines, ...tables].join("");
}
