import { useQuery } from "@tanstack/react-query";
import { Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { sessionQuery } from "../api/queries.ts";
import { SessionContext } from "../session/session.ts";
import { Navigation } from "./navigation.tsx";

/** The frame of every screen: the navigation and the screen itself. */
export function Layout() {
  const { data: session } = useQuery(sessionQuery);
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const hasEnded = session === null;
  // The session ended while the app was open. The effect runs once, because the path changes with the navigation.
  useEffect(() => {
    if (hasEnded) void navigate({ to: "/sign-in", search: { next: window.location.pathname } });
  }, [hasEnded, navigate]);
  if (session === undefined || session === null) return null;
  return (
    <SessionContext value={session}>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <div className="layout">
        <Navigation pathname={pathname} />
        <main className="main" id="main" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
    </SessionContext>
  );
}
