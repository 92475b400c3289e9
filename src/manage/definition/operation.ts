// One definition holds everything that is a management operation's own: the route with its roles, the texts, the shapes
// of input and output, the command, and what it does. docs/decisions/management-operations.md
import Type, { type Static, type TObject, type TSchema } from "typebox";
import { EVERYBODY, type ManageRole, type ManageScope } from "../../contract/manage/roles.ts";
import type { Organization } from "../../ports/store/accounts.ts";
import type { Store } from "../../ports/store/store.ts";
import type { AnyContext, Context, KeyContext, PublicContext, ServiceContext } from "./context.ts";

/** The fields of an input by their names. A GET reads them from the query, other methods from the body. */
export type Fields = Readonly<Record<string, TSchema>>;

/** How a command takes a field, where its name and description are not enough. */
export interface CommandOption {
  /** Such as `--by <credits>`; of a path parameter `<name>`. */
  readonly flags?: string;
  readonly help?: string;
  /** Of a path parameter `[name]`: the flags and the help of options that may name it instead. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The word that stands for null, for an empty list, or for a field that is left out. */
  readonly none?: string;
  /** Makes the value of the interface of what a person writes; null for what is not `allowed`. */
  readonly read?: { readonly from: (text: string) => unknown; readonly allowed: string };
}

/** The option that makes a command run another operation. */
export interface Variant extends CommandOption {
  readonly operation: Operation;
  readonly createsStore?: true;
}

type OwnParameters<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | OwnParameters<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** The checked fields, and the path parameters but for the organization's. */
type InputOf<Route extends string, Own extends Fields> = Static<TObject<Own>> & {
  readonly [Name in Exclude<OwnParameters<Route>, "organization_id">]: string;
};

type In<Base extends AnyContext, Route extends string> = Base & {
  readonly organization: Route extends `${string}:organization_id${string}` ? Organization : null;
};

type Method = "GET" | "POST" | "DELETE";
/** One shape, under the name of its OpenAPI component. */
type NamedShape = Readonly<Record<string, TSchema>>;

/** Calls another operation of the same organization, in the way in which the command itself is run. */
export type CallOperation = <Input extends object, Result extends object>(
  operation: Operation<Input, Result>,
  input: Input,
) => Promise<Result>;

/** Error responses that not every operation has. */
type FurtherError = "resource_not_found" | "rate_limit_exceeded";

interface Definition<
  Base extends AnyContext,
  Route extends `${Method} /${string}`,
  Own extends Fields,
  Output extends NamedShape,
> {
  readonly route: Route;
  /** Of the OpenAPI document; with a small first letter it is the help of the command. */
  readonly summary: string;
  readonly description?: string;
  readonly input?: Own;
  /** The body in the OpenAPI document. `name` of its component: the operation's by default. `isOptional`: a request may have no body. */
  readonly body?: { readonly name?: string; readonly description?: string; readonly isOptional?: true };
  /** The shape of the result, under the name of its component. */
  readonly output: Output;
  readonly command?: CommandDefinition<InputOf<Route, Own>, Static<Output[keyof Output]>>;
  /** It reads much: an organization's requests for such operations are served one at a time (flows/manage/long-reads.ts). */
  readonly isLong?: true;
  /** Besides those that follow from its scope and path. */
  readonly errors?: readonly FurtherError[];
  run(context: In<Base, Route>, input: InputOf<Route, Own>): Promise<Static<Output[keyof Output]>>;
}

interface RoledDefinition<
  Base extends AnyContext,
  Route extends `${Method} /${string}`,
  Own extends Fields,
  Output extends NamedShape,
> extends Definition<Base, Route, Own, Output> {
  readonly roles: readonly ManageRole[];
  /** Default: `organization` with an organization in the path, else `platform`. */
  readonly scope?: "self";
}

/** An operation without its name. */
export interface Operation<Input = object, Result = object> {
  readonly method: Method;
  /** Below /manage/api, parameters as `:name`. */
  readonly path: string;
  readonly scope: ManageScope;
  readonly roles: readonly ManageRole[];
  readonly summary: string;
  readonly description?: string;
  readonly fields: Fields;
  readonly body: { readonly name?: string; readonly description?: string; readonly isOptional?: true };
  /** The shape of the result, and the name of its OpenAPI component. */
  readonly output: { readonly name: string; readonly shape: TSchema };
  readonly isLong: boolean;
  readonly errors: readonly FurtherError[];
  readonly command: Command | null;
  readonly needsService: boolean;
  // A method: a list of operations has inputs of all kinds, each read by its own operation's fields.
  run(context: AnyContext, input: Input): Promise<Result>;
}

/** The command of an operation. What follows `words` may be left out. */
export interface Command<Input = Readonly<Record<string, unknown>>, Result = object> {
  readonly words: string;
  /** Where the summary does not say what a person must know. */
  readonly help?: string;
  /** Of the commands of its group, the one that runs when none is named. */
  readonly isDefault: boolean;
  /** The command creates the store if there is none yet; by default it fails. */
  readonly createsStore: boolean;
  /** By field. `null`: the field is no option of the command. With `organization_id` the organization is an argument, otherwise it is `--org`. */
  readonly options: { readonly [Name in keyof Input | "organization_id"]?: CommandOption | null };
  /** Operations that the command runs instead when an option is given, by its name: often a parameter or field of theirs. */
  readonly variants: Readonly<Record<string, Variant>>;
  /** Flags that set several fields, unless their own options do. */
  readonly presets: Readonly<Record<string, { readonly help: string; readonly sets: Partial<Input> }>>;
  /** What is printed in place of an empty list. */
  readonly whenEmpty: string;
  /** Fields that may be left out on the command line, since `complete` finds them. */
  readonly optional: readonly (keyof Input & string)[];
  // Methods, like the operation's `run`.
  /** What people read instead of the reply: a record, the rows of a table, or a sentence. */
  show?(result: Result): object | string;
  /** Why the command fails though the operation has replied; null: it does not. */
  failure?(result: Result): string | null;
  /** What a person should know before it runs. */
  warn?(given: Partial<Input>, call: CallOperation): Promise<readonly string[]>;
  /** The organization that the named record belongs to, by id, so that a command on the store needs no `--org`. */
  ownerOf?(store: Store, given: Partial<Input>): Promise<string | null>;
  /** `user` is the name of the system's user. */
  complete?(given: Partial<Input>, call: CallOperation, user: string): Promise<Partial<Input>>;
}

type CommandDefinition<Input, Result> = Pick<Command<Input, Result>, "words"> & Partial<Command<Input, Result>>;

/** An operation that works on a store, beside a running service or without one. */
export function operation<
  Route extends `${Method} /${string}`,
  Own extends Fields = {},
  Output extends NamedShape = NamedShape,
>(
  definition: RoledDefinition<Context, Route, Own, Output>,
): Operation<InputOf<Route, Own>, Static<Output[keyof Output]>> {
  return define(definition, { roles: definition.roles, scope: definition.scope ?? null, needsService: false });
}

/** An operation that only a running service answers: its command needs `--url`. */
export function serviceOperation<
  Route extends `${Method} /${string}`,
  Own extends Fields = {},
  Output extends NamedShape = NamedShape,
>(
  definition: RoledDefinition<ServiceContext, Route, Own, Output>,
): Operation<InputOf<Route, Own>, Static<Output[keyof Output]>> {
  return define(definition, { roles: definition.roles, scope: definition.scope ?? null, needsService: true });
}

/** An operation of a running service that needs no sign-in. */
export function publicOperation<
  Route extends `${Method} /${string}`,
  Own extends Fields = {},
  Output extends NamedShape = NamedShape,
>(
  definition: Definition<PublicContext, Route, Own, Output>,
): Operation<InputOf<Route, Own>, Static<Output[keyof Output]>> {
  return define(definition, { roles: EVERYBODY, scope: "public", needsService: true });
}

/** An operation of a running service for the holder of an API key, about that key. */
export function keyOperation<
  Route extends `${Method} /${string}`,
  Own extends Fields = {},
  Output extends NamedShape = NamedShape,
>(
  definition: Definition<KeyContext, Route, Own, Output>,
): Operation<InputOf<Route, Own>, Static<Output[keyof Output]>> {
  return define(definition, { roles: [], scope: "key", needsService: true });
}

/** The defaults of a command. */
const BARE_COMMAND = {
  isDefault: false,
  createsStore: false,
  options: {},
  variants: {},
  presets: {},
  whenEmpty: "There are none.",
  optional: [],
} as const;

interface Access {
  readonly roles: readonly ManageRole[];
  /** Null: as the path says. */
  readonly scope: ManageScope | null;
  readonly needsService: boolean;
}

function define<
  Base extends AnyContext,
  Route extends `${Method} /${string}`,
  Own extends Fields,
  Output extends NamedShape,
>(
  definition: Definition<Base, Route, Own, Output>,
  { roles, scope, needsService }: Access,
): Operation<InputOf<Route, Own>, Static<Output[keyof Output]>> {
  const { route, input, output, command, body = {}, isLong = false, errors = [], ...same } = definition;
  const [method, path] = route.split(" ") as [Method, string];
  const [[name, shape] = ["", Type.Null()]] = Object.entries<TSchema>(output);
  return {
    ...same,
    method,
    path,
    roles,
    scope: scope ?? (path.includes(":organization_id") ? "organization" : "platform"),
    fields: input ?? {},
    body,
    output: { name, shape },
    isLong,
    errors,
    command: command === undefined ? null : { ...BARE_COMMAND, ...command },
    needsService,
    run: (context, given) => definition.run(context as In<Base, Route>, given),
  };
}

/** An operation of a subject, under its name. */
export interface NamedOperation<Name extends string = string> extends Operation {
  readonly name: Name;
  /** Of the OpenAPI document. */
  readonly tag: string;
}

/** Operations of one subject: their tag in the document, what the help says of their group of commands, and their names. */
export interface Subject<Name extends string = string> {
  readonly tag: string;
  /** Absent: it has no commands. */
  readonly about?: string;
  readonly operations: Readonly<Record<Name, Operation>>;
}

/** The operations with their names, in their order. */
export function listOperations<Name extends string>(subject: Subject<Name>): readonly NamedOperation<Name>[] {
  const { tag, operations } = subject;
  const names = Object.keys(operations) as Name[];
  return names.map((name) => ({ ...operations[name], name, tag }));
}

/** The shape of a body, and whether it may be empty. */
export interface BodyRule {
  /** Name of the OpenAPI component. */
  readonly name: string;
  readonly shape: TSchema;
  readonly presence: "required" | "optional";
}

/** What the body of an operation must be; null for one without. */
export function bodyOf({ name, method, fields, body }: NamedOperation): BodyRule | null {
  if (method === "GET" || Object.keys(fields).length === 0) return null;
  const {
    name: component = `${name.charAt(0).toUpperCase()}${name.slice(1)}Body`,
    isOptional = false,
    ...options
  } = body;
  const shape = Type.Object(fields, { additionalProperties: false, ...options });
  return { name: component, shape, presence: isOptional ? "optional" : "required" };
}

/** The query parameters of an operation; null for one that reads no query. */
export function queryOf({ method, fields }: Operation): Fields | null {
  return method === "GET" && Object.keys(fields).length > 0 ? fields : null;
}

/** Whether a request must have the field. */
export function isRequired(field: TSchema): boolean {
  return !Type.IsOptional(field) && !("default" in field);
}

/** The names of the parameters in a path. */
export function parametersOf({ path }: Pick<Operation, "path">): readonly string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
}

/** What people call the record that a parameter of a path names: `key` of `key_id`. */
export function nounOf(parameter: string): string {
  return parameter.replace(/_id$/, "");
}
