import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { organizationQuery, sessionQuery } from "../api/queries.ts";
import { BusyButton } from "../parts/busy-button.tsx";
import { ErrorNotice } from "../parts/error-notice.tsx";
import { MenuLink } from "../parts/link.tsx";
import { SessionContext, useSession, useSignOut } from "../session/session.ts";
import { mayManage } from "../session/roles.ts";

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

function Navigation({ pathname }: { pathname: string }) {
  const session = useSession();
  const signOut = useMutation({ mutationFn: useSignOut() });
  const [isOpen, setOpen] = useState(false);
  // A visit closes the menu, which covers the screen on a phone.
  useEffect(() => setOpen(false), [pathname]);
  const organizationId = /^\/organizations\/([^/]+)/.exec(pathname)?.[1] ?? session.organization?.id ?? null;
  const who = session.member?.email ?? session.operator?.name ?? session.role;
  return (
    <nav className="nav" aria-label="Screens">
      <div className="nav-top">
        <Link to="/" className="nav-name">
          Turngate
        </Link>
        <Button
          className="nav-button"
          size="xs"
          variant="default"
          aria-expanded={isOpen}
          aria-controls="nav-links"
          onClick={() => setOpen(!isOpen)}
        >
          Menu
        </Button>
      </div>
      <div id="nav-links" className="nav-links" data-open={isOpen}>
        {session.role === "operator" && (
          <ul>
            <MenuLink to="/organizations" name="Organizations" />
            <MenuLink to="/service" name="Service" />
            <MenuLink to="/service/usage" name="Usage of all" />
            <MenuLink to="/service/events" name="Events of all" />
            <MenuLink to="/service/audit" name="Audit log of all" />
          </ul>
        )}
        {organizationId !== null && <OrganizationItems organizationId={organizationId} />}
        <p className="nav-heading">Service</p>
        <ul>
          <MenuLink to="/playground" name="Playground" />
          <MenuLink to="/models" name="Models" />
          <li>
            <a className="nav-link" href="/docs">
              API reference
            </a>
          </li>
        </ul>
        <p className="nav-heading">{who}</p>
        <ul>
          <MenuLink to="/account" name="Account" />
          <li>
            <BusyButton
              size="xs"
              variant="default"
              fullWidth
              isBusy={signOut.isPending}
              onClick={() => signOut.mutate()}
            >
              Sign out
            </BusyButton>
            {signOut.error !== null && <ErrorNotice error={signOut.error} />}
          </li>
        </ul>
      </div>
    </nav>
  );
}

function OrganizationItems({ organizationId }: { organizationId: string }) {
  const manages = mayManage(useSession().role);
  const { data: organization } = useQuery(organizationQuery(organizationId));
  const params = { organizationId };
  return (
    <>
      <p className="nav-heading">{organization?.name ?? "Organization"}</p>
      <ul>
        <MenuLink to="/organizations/$organizationId/overview" params={params} name="Overview" />
        <MenuLink to="/organizations/$organizationId/keys" params={params} name="Keys" />
        <MenuLink to="/organizations/$organizationId/usage" params={params} name="Usage" />
        <MenuLink to="/organizations/$organizationId/turns" params={params} name="Turns" />
        <MenuLink to="/organizations/$organizationId/rejections" params={params} name="Rejected requests" />
        {manages && <MenuLink to="/organizations/$organizationId/budgets" params={params} name="Budgets and credits" />}
        <MenuLink
          to="/organizations/$organizationId/members"
          params={params}
          name={manages ? "Members and tokens" : "Members"}
        />
        {manages && <MenuLink to="/organizations/$organizationId/policy" params={params} name="Policy and limits" />}
        {manages && <MenuLink to="/organizations/$organizationId/events" params={params} name="Events" />}
        {manages && <MenuLink to="/organizations/$organizationId/audit" params={params} name="Audit log" />}
      </ul>
    </>
  );
}
