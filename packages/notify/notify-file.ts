// The configuration of `turngate notify`: where it reads the feed of events, and whom it notifies. docs/notify.md
import Type, { type Static } from "typebox";
import { readTextFile } from "../kit/decode-text.ts";
import { closed, seconds, section, text } from "../kit/schema-fields.ts";
import { type ShapedFile, readShapedFile } from "../kit/shaped-file.ts";
import type { Variables } from "../kit/variables.ts";

const FILE_BYTES_MAX = 1024 * 1024;
/** The secret of signed notices, as of standardwebhooks.com: `whsec_` and 24 to 64 bytes in base64. */
const SECRET_PATTERN = "^whsec_[A-Za-z0-9+/]{32,88}={0,2}$";

export const TARGET_TYPES = ["http", "slack", "mail"] as const;
type TargetType = (typeof TARGET_TYPES)[number];

const list = (of: string, description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, description: of }), { minItems: 1, maxItems: 100, description }),
  );

const Target = section("a target", {
  type: Type.Enum([...TARGET_TYPES], { description: TARGET_TYPES.join(", ") }),
  url: text("an http:// or https:// address: where notices are posted (http, slack)"),
  secret: Type.Optional(
    Type.String({
      pattern: SECRET_PATTERN,
      description: "whsec_ and 24 to 64 bytes in base64: notices are signed with it (http)",
    }),
  ),
  server: text("an address smtp://USER:PASSWORD@HOST:PORT or smtps://…: the mail server (mail)"),
  from: text("an e-mail address: the sender (mail)"),
  to: list("an e-mail address", "a list of e-mail addresses: the recipients (mail)"),
  events: list(
    "a type of events",
    `a list of types of events, or of their beginnings as in budget.*: those that are sent; all by default`,
  ),
  organizations: list("the id of an organization", "a list of ids of organizations: those whose events are sent"),
});

const NotifyShape = section("the configuration of turngate notify", {
  manage_url: text(
    "an http:// or https:// address: where the management interface is; http://127.0.0.1:8081 by default",
  ),
  token: Type.String({ pattern: "^adm_", description: "a management token, adm_…, best as ${NAME} from a variable" }),
  state_file: text("a path: where it keeps how far it has read; turngate-notify.state.json by default"),
  delivery_log: text("a path: the log of deliveries; turngate-notify.log by default"),
  every_seconds: seconds("it looks for new events this often"),
  give_up_after_seconds: seconds("a notice that could not be delivered for this long is dropped"),
  targets: Type.Record(Type.String({ pattern: "^[a-z0-9][a-z0-9_-]{0,63}$" }), Target, {
    ...closed,
    minProperties: 1,
    description: "targets by name; a name consists of lower-case letters, digits, - and _",
  }),
});

/** Whom to notify, of which events. */
export interface NotifyTarget {
  readonly name: string;
  readonly to:
    | { readonly type: "http"; readonly url: string; readonly secret: string }
    | { readonly type: "slack"; readonly url: string }
    | { readonly type: "mail"; readonly server: string; readonly from: string; readonly recipients: readonly string[] };
  /** Types, or beginnings of types that end in `*`; null: all. */
  readonly events: readonly string[] | null;
  /** Null: all, and the events of the service itself. */
  readonly organizations: readonly string[] | null;
}

export interface NotifyConfig {
  readonly manageUrl: string;
  readonly token: string;
  readonly stateFile: string;
  readonly deliveryLog: string;
  readonly everySeconds: number;
  readonly giveUpAfterSeconds: number;
  readonly targets: readonly NotifyTarget[];
}

/** Reads the file; `known` are the types of events. Throws an OperatorError that names file, line and value. */
export function readNotifyFile(name: string, variables: Variables, known: readonly string[]): NotifyConfig {
  const file = readShapedFile({ name, text: readTextFile(name, FILE_BYTES_MAX), variables, schema: NotifyShape });
  const value = file.value as Static<typeof NotifyShape>;
  const manageUrl = value.manage_url ?? "http://127.0.0.1:8081";
  checkUrl(file, ["manage_url"], manageUrl, ["http:", "https:"]);
  return {
    manageUrl: manageUrl.replace(/\/+$/, ""),
    token: value.token,
    stateFile: value.state_file ?? "turngate-notify.state.json",
    deliveryLog: value.delivery_log ?? "turngate-notify.log",
    everySeconds: value.every_seconds ?? 10,
    giveUpAfterSeconds: value.give_up_after_seconds ?? 86_400,
    targets: Object.entries(value.targets).map(([targetName, target]) => readTarget(file, targetName, target, known)),
  };
}

/** The keys that each type needs; the others of a type are not allowed in it. */
const NEEDED: Readonly<Record<TargetType, readonly ("url" | "secret" | "server" | "from" | "to")[]>> = {
  http: ["url", "secret"],
  slack: ["url"],
  mail: ["server", "from", "to"],
};

function readTarget(
  file: ShapedFile,
  name: string,
  target: Static<typeof Target>,
  known: readonly string[],
): NotifyTarget {
  const path = ["targets", name];
  const { type } = target;
  for (const key of ["url", "secret", "server", "from", "to"] as const) {
    const isNeeded = NEEDED[type].includes(key);
    if (isNeeded && target[key] === undefined) throw file.faultAt(path, `lacks ${key}, which a target ${type} needs.`);
    if (!isNeeded && target[key] !== undefined)
      throw file.faultAt([...path, key], `has no effect in a target ${type}.`);
  }
  for (const [at, event] of (target.events ?? []).entries()) {
    const isKnown = event.endsWith("*")
      ? known.some((each) => each.startsWith(event.slice(0, -1)))
      : known.includes(event);
    if (!isKnown) throw file.faultAt([...path, "events", at], `is no type of events; allowed: ${known.join(", ")}.`);
  }
  const { url = "", secret = "", server = "", from = "", to: recipients = [] } = target;
  if (type === "mail") checkUrl(file, [...path, "server"], server, ["smtp:", "smtps:"]);
  else checkUrl(file, [...path, "url"], url, ["http:", "https:"]);
  const places = {
    http: { type: "http", url, secret },
    slack: { type: "slack", url },
    mail: { type: "mail", server, from, recipients },
  } as const;
  return { name, to: places[type], events: target.events ?? null, organizations: target.organizations ?? null };
}

/** The address may contain a secret: it is not shown. */
function checkUrl(file: ShapedFile, path: readonly string[], url: string, protocols: readonly string[]): void {
  if (URL.canParse(url) && protocols.includes(new URL(url).protocol)) return;
  throw file.faultAt(path, `is not a valid address; allowed: ${protocols.map((each) => `${each}//…`).join(" or ")}.`);
}
