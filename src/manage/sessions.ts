// Who is signed in, and the caller's own sessions. @spec authentication
import { notFound } from "../contract/errors.ts";
import { EVERYBODY } from "../contract/manage/roles.ts";
import { SESSION_LIFETIME } from "../flows/accounts/session-lifetime.ts";
import type { ListedSession as StoredSession } from "../ports/store/management.ts";
import { Done, list } from "./fields.ts";
import { ListedSession, presentSession } from "./listed-session.ts";
import type { ServiceContext } from "./definition/context.ts";
import { serviceOperation, type Subject } from "./definition/operation.ts";
import { nameOrganization, presentPerson, requireSession, Session } from "./session.ts";
import { changePassword, redeemSignInLink, signIn } from "./sign-in.ts";
import { beginSingleSignOn, finishSingleSignOn, showSignIn } from "./single-sign-on.ts";

const showSession = serviceOperation({
  route: "GET /session",
  scope: "self",
  roles: EVERYBODY,
  summary: "Show who is signed in",
  output: { Session },
  async run({ services, role, session, token }) {
    if (session !== null) return presentPerson(services, session);
    const organizationId = token?.organizationId ?? null;
    return {
      kind: "token" as const,
      role,
      organization: organizationId === null ? null : await nameOrganization(services, organizationId),
      member: null,
      operator: null,
      has_password: false,
      token: token === null ? null : { id: token.id, name: token.name },
      csrf_token: null,
      permissions: token?.permissions ?? "all",
      expires_at: token?.expiresAt ?? null,
      usd_per_credit: services.configuration.show().usd_per_credit,
      base_url: services.baseUrl(),
    };
  },
});

const signOut = serviceOperation({
  route: "DELETE /session",
  scope: "self",
  roles: EVERYBODY,
  summary: "Sign out",
  output: { Done },
  run: (context) => end(context, [requireSession(context)]),
});

const listSessions = serviceOperation({
  route: "GET /sessions",
  scope: "self",
  roles: EVERYBODY,
  summary: "List the caller's sessions",
  description: "Newest first. Operators with the same name share a list.",
  output: { SessionList: list(ListedSession) },
  async run(context) {
    const { id } = requireSession(context);
    return { data: (await listOwn(context)).map((session) => presentSession(session, id)) };
  },
});

const endSessions = serviceOperation({
  route: "DELETE /sessions",
  scope: "self",
  roles: EVERYBODY,
  summary: "Sign out everywhere",
  description: "Ends the session of the request too.",
  output: { Done },
  run: async (context) => end(context, await listOwn(context)),
});

const endSession = serviceOperation({
  route: "DELETE /sessions/:session_id",
  scope: "self",
  roles: EVERYBODY,
  summary: "End one of the caller's sessions",
  output: { Done },
  async run(context, { session_id: id }) {
    const ended = (await listOwn(context)).filter((session) => session.id === id);
    if (ended.length === 0) throw notFound();
    return end(context, ended);
  },
});

/** The sessions of the person who asks: of an operator, those of the same name. */
async function listOwn(context: ServiceContext): Promise<readonly StoredSession[]> {
  const { person } = requireSession(context);
  const memberId = person.kind === "member" ? person.member.id : null;
  const sessions = await context.store.listSessions({ memberId, lifetime: SESSION_LIFETIME });
  return person.kind === "member" ? sessions : sessions.filter(({ operator }) => operator === person.name);
}

/** Ends sessions; the browser forgets that of the request. */
async function end(context: ServiceContext, sessions: readonly { readonly id: string }[]) {
  const ids = sessions.map(({ id }) => id);
  await context.store.endSessions({ by: context.by, ids });
  if (ids.includes(requireSession(context).id)) context.setCookies({ session: null });
  return { done: true };
}

export const SESSIONS = {
  tag: "Session",
  operations: {
    signIn,
    showSession,
    signOut,
    redeemSignInLink,
    showSignIn,
    beginSingleSignOn,
    finishSingleSignOn,
    changePassword,
    listSessions,
    endSessions,
    endSession,
  },
} as const satisfies Subject;
