// The signed-in principal, for the screens below the layout, which are shown only when there is one.
import { useNavigate } from "@tanstack/react-router";
import { createContext, useContext } from "react";
import { api, type Session, take } from "../api/client.ts";
import { credentials, forgetAll } from "../api/credentials.ts";
import { RequestFailure } from "../api/failure.ts";
import { forgetData, queryClient, sessionQuery } from "../api/queries.ts";
import { isOwnPath } from "./own-path.ts";

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("This screen is only for people who are signed in.");
  return session;
}

/**
 * Starts a session in the app: drops all data of an earlier one, and opens the screen that was asked for. That may be a
 * text of anybody: the router hands on what the check of a route's search leaves out, and it would open another site.
 */
export function useEnter(): (session: Session, next: string | undefined) => Promise<void> {
  const navigate = useNavigate();
  return async (session, next) => {
    forgetData();
    credentials.csrfToken = session.csrf_token;
    queryClient.setQueryData(sessionQuery.queryKey, session);
    await navigate({ href: isOwnPath(next) ? next : "/", replace: true });
  };
}

/** Ends the session, forgets what the tab keeps and shows the sign-in page; rejects if the session could not be ended. */
export function useSignOut(): () => Promise<void> {
  const leave = useLeave();
  return async () => {
    await take(api.DELETE("/session")).catch((error: unknown) => {
      // It has ended already.
      if (!(error instanceof RequestFailure && error.status === 401)) throw error;
    });
    await leave();
  };
}

/** Forgets what the tab keeps and shows the sign-in page, after the session has ended. */
export function useLeave(): () => Promise<void> {
  const navigate = useNavigate();
  return async () => {
    forgetAll();
    await navigate({ to: "/sign-in" });
    forgetData();
  };
}
