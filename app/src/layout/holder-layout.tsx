import { useQuery } from "@tanstack/react-query";
import { Link, Outlet } from "@tanstack/react-router";
import { sessionQuery } from "../api/queries.ts";
import { ButtonLink } from "../parts/link.tsx";
import { Layout } from "./layout.tsx";

/** The frame of the screens for key holders: the normal layout with a session, a small header without one. */
export function HolderLayout() {
  const { data: session } = useQuery({ ...sessionQuery, enabled: false });
  if (session !== undefined && session !== null) return <Layout />;
  return (
    <>
      <section aria-label="Head" className="head">
        <Link to="/key" className="head-name" aria-label="Turngate" />
        <nav className="head-links" aria-label="Screens">
          <ButtonLink variant="subtle" to="/key">
            Usage of a key
          </ButtonLink>
          <ButtonLink variant="subtle" to="/playground">
            Playground
          </ButtonLink>
          <ButtonLink variant="default" to="/sign-in">
            Sign in
          </ButtonLink>
        </nav>
      </section>
      <main className="main" id="main" tabIndex={-1}>
        <Outlet />
      </main>
    </>
  );
}
