import { Button } from "@mantine/core";
import IconActivity from "@tabler/icons-react/icons/IconActivity";
import IconAlertTriangle from "@tabler/icons-react/icons/IconAlertTriangle";
import IconBell from "@tabler/icons-react/icons/IconBell";
import IconBuilding from "@tabler/icons-react/icons/IconBuilding";
import IconChartBar from "@tabler/icons-react/icons/IconChartBar";
import IconCoins from "@tabler/icons-react/icons/IconCoins";
import IconCpu from "@tabler/icons-react/icons/IconCpu";
import IconFileText from "@tabler/icons-react/icons/IconFileText";
import IconHistory from "@tabler/icons-react/icons/IconHistory";
import IconKey from "@tabler/icons-react/icons/IconKey";
import IconLayoutDashboard from "@tabler/icons-react/icons/IconLayoutDashboard";
import IconList from "@tabler/icons-react/icons/IconList";
import IconMessage from "@tabler/icons-react/icons/IconMessage";
import IconShield from "@tabler/icons-react/icons/IconShield";
import IconUser from "@tabler/icons-react/icons/IconUser";
import IconUsers from "@tabler/icons-react/icons/IconUsers";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { organizationQuery } from "../api/queries.ts";
import { BusyButton } from "../parts/busy-button.tsx";
import { ErrorNotice } from "../parts/error-notice.tsx";
import { MenuLink, NavIcon } from "../parts/link.tsx";
import { mayManage } from "../session/roles.ts";
import { useSession, useSignOut } from "../session/session.ts";
import { Search } from "./search-button.tsx";

/** The side bar: the search, the screens in groups, and the person. */
export function Navigation({ pathname }: { pathname: string }) {
  const session = useSession();
  const signOut = useMutation({ mutationFn: useSignOut() });
  const [isOpen, setOpen] = useState(false);
  // A visit closes the menu, which covers the screen on a phone.
  useEffect(() => setOpen(false), [pathname]);
  const inPath = /^\/organizations\/([^/]+)/.exec(pathname)?.[1];
  // An operator who looks at the service keeps the organization seen last.
  const [last, setLast] = useState(inPath);
  useEffect(() => setLast((before) => inPath ?? before), [inPath]);
  const organizationId = inPath ?? session.organization?.id ?? last ?? null;
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
      <Search organizationId={organizationId} />
      <div id="nav-links" className="nav-links" data-open={isOpen}>
        {session.role === "operator" && (
          <Group title="Service">
            <MenuLink to="/organizations" name="Organizations" icon={IconBuilding} />
            <MenuLink to="/service" name="Service" icon={IconActivity} />
            <MenuLink to="/service/usage" name="Usage of all" icon={IconChartBar} />
            <MenuLink to="/service/events" name="Events of all" icon={IconBell} />
            <MenuLink to="/service/audit" name="Audit log of all" icon={IconHistory} />
          </Group>
        )}
        {organizationId !== null && <Observe organizationId={organizationId} />}
        <Group title="Build">
          <MenuLink to="/playground" name="Playground" icon={IconMessage} />
          <MenuLink to="/models" name="Models" icon={IconCpu} />
          <li>
            <a className="nav-link" href="/docs">
              <NavIcon icon={IconFileText} />
              API reference
            </a>
          </li>
        </Group>
        {organizationId !== null && <Manage organizationId={organizationId} />}
        <Group title={who}>
          <MenuLink to="/account" name="Account" icon={IconUser} />
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
        </Group>
      </div>
    </nav>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <p className="nav-heading">{title}</p>
      <ul>{children}</ul>
    </>
  );
}

function Observe({ organizationId }: { organizationId: string }) {
  const { data: organization } = useQuery(organizationQuery(organizationId));
  const params = { organizationId };
  return (
    <>
      <p className="nav-organization">{organization?.name ?? "Organization"}</p>
      <Group title="Observe">
        <MenuLink
          to="/organizations/$organizationId/overview"
          params={params}
          name="Overview"
          icon={IconLayoutDashboard}
        />
        <MenuLink to="/organizations/$organizationId/turns" params={params} name="Turns" icon={IconList} />
        <MenuLink to="/organizations/$organizationId/usage" params={params} name="Usage" icon={IconChartBar} />
        <MenuLink
          to="/organizations/$organizationId/rejections"
          params={params}
          name="Rejected requests"
          icon={IconAlertTriangle}
        />
      </Group>
    </>
  );
}

function Manage({ organizationId }: { organizationId: string }) {
  const manages = mayManage(useSession().role);
  const params = { organizationId };
  return (
    <Group title="Manage">
      <MenuLink to="/organizations/$organizationId/keys" params={params} name="Keys" icon={IconKey} />
      {manages && (
        <MenuLink
          to="/organizations/$organizationId/budgets"
          params={params}
          name="Budgets and credits"
          icon={IconCoins}
        />
      )}
      <MenuLink
        to="/organizations/$organizationId/members"
        params={params}
        name={manages ? "Members and tokens" : "Members"}
        icon={IconUsers}
      />
      {manages && (
        <MenuLink
          to="/organizations/$organizationId/policy"
          params={params}
          name="Policy and limits"
          icon={IconShield}
        />
      )}
      {manages && <MenuLink to="/organizations/$organizationId/events" params={params} name="Events" icon={IconBell} />}
      {manages && (
        <MenuLink to="/organizations/$organizationId/audit" params={params} name="Audit log" icon={IconHistory} />
      )}
    </Group>
  );
}
