import { useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { sessionQuery } from "../api/queries.ts";
import { UsdPerCredit } from "../parts/money.tsx";
import { SessionContext } from "../session/session.ts";
import { useAttention } from "../attention/use-attention.ts";
import { HeadBar } from "./head-bar.tsx";
import { Menu } from "./menu.tsx";
import { useShownOrganization } from "./shown-organization.ts";

/** The frame of every screen: the head, the menu and the screen itself. */
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
      <UsdPerCredit value={session.usd_per_credit}>
        <Frame pathname={pathname} />
      </UsdPerCredit>
    </SessionContext>
  );
}

/** At this width and above, the menu stands beside the screen. */
const WIDE = "(min-width: 62em)";

function Frame({ pathname }: { pathname: string }) {
  const organizationId = useShownOrganization(pathname);
  const attention = useAttention(organizationId);
  const isWide = useMediaQuery(WIDE, window.matchMedia(WIDE).matches);
  const menu = <Menu organizationId={organizationId} attention={attention} />;
  return (
    <>
      <HeadBar pathname={pathname} organizationId={organizationId} menu={isWide ? null : menu} />
      <div className="layout">
        {isWide && menu}
        <main className="main" id="main" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
    </>
  );
}
