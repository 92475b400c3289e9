// People who sign in as the operator of the service: their links and their sessions. @spec authentication
import Type from "typebox";
import { notFound } from "../contract/errors.ts";
import { OPERATOR_LINK_MINUTES } from "../contract/manage/limits.ts";
import { OPERATOR } from "../contract/manage/roles.ts";
import { readOperatorName } from "../core/access/account-fields.ts";
import { SESSION_LIFETIME } from "../flows/accounts/session-lifetime.ts";
import { secondsOf } from "../ports/clock.ts";
import { Done, list, text } from "./fields.ts";
import { link, ListedSession, presentSession } from "./listed-session.ts";
import type { Context } from "./definition/context.ts";
import { operation, type Subject } from "./definition/operation.ts";

const createOperatorLink = operation({
  route: "POST /operators/sign-in-link",
  roles: OPERATOR,
  summary: "Create a link that signs in an operator",
  description: "Valid once, for 15 minutes; it replaces an earlier link of the name.",
  command: {
    words: "operator sign-in-link",
    createsStore: true,
    options: { name: { help: "the operator's name, for the audit log (default: the name of the system's user)" } },
    optional: ["name"],
    complete: async ({ name }, _, user) => ({ name: name ?? user }),
  },
  input: { name: text("the name of the operator, for the audit log") },
  body: { name: "OperatorLinkBody" },
  output: { OperatorLink: Type.Object({ operator: Type.Object({ name: Type.String() }), ...link }) },
  async run({ store, by, managementSecrets, manageOrigin }, { name: given }) {
    const name = readOperatorName(given);
    const { secret, hash } = managementSecrets.mintSecret();
    const { expiresAtMs } = await store.setOperatorLink({ by, name, hash, lifetimeMs: OPERATOR_LINK_MINUTES * 60_000 });
    // The page asks a member for a password, and an operator, by this parameter, for none.
    const url = `${manageOrigin}/sign-in?as=operator#${secret}`;
    return { operator: { name }, secret, url, expires_at: secondsOf(expiresAtMs) };
  },
});

const listOperatorSessions = operation({
  route: "GET /operators/sessions",
  roles: OPERATOR,
  summary: "List the sessions of all operators",
  description: "Newest first.",
  command: { words: "operator sessions", whenEmpty: "No operator is signed in." },
  output: { OperatorSessionList: list(Type.Object({ operator: Type.String(), ...ListedSession.properties })) },
  async run(context) {
    const currentId = context.session?.id ?? null;
    return {
      data: (await listAll(context)).map((session) => ({
        operator: session.operator ?? "",
        ...presentSession(session, currentId),
      })),
    };
  },
});

const endOperatorSession = operation({
  route: "DELETE /operators/sessions/:session_id",
  roles: OPERATOR,
  summary: "End a session of an operator",
  command: {
    words: "operator end-session",
    options: { tokens: { help: "also revoke the management tokens that operators of that name made" } },
  },
  input: {
    tokens: Type.Optional(
      Type.Boolean({ description: "true: also revoke the management tokens that operators of that name made" }),
    ),
  },
  body: { isOptional: true },
  output: { Done },
  async run(context, { session_id: id, tokens = false }) {
    const name = (await listAll(context)).find((session) => session.id === id)?.operator ?? null;
    if (name === null) throw notFound();
    const tokensOf = { kind: "operator", id: name } as const;
    await context.store.endSessions({ by: context.by, ids: [id], ...(tokens ? { tokensOf } : {}) });
    return { done: true };
  },
});

function listAll({ store }: Pick<Context, "store">) {
  return store.listSessions({ memberId: null, lifetime: SESSION_LIFETIME });
}

export const OPERATORS = {
  tag: "Operators",
  about: "people who sign in as the operator of the service",
  operations: { createOperatorLink, listOperatorSessions, endOperatorSession },
} as const satisfies Subject;
