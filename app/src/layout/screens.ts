// The screens of the menu, by group, as a role sees them.
import type { IconProps } from "@tabler/icons-react";
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
import IconUsers from "@tabler/icons-react/icons/IconUsers";
import type { ComponentType } from "react";
import type { Role } from "../api/client.ts";
import { mayManage } from "../session/roles.ts";

export interface MenuScreen {
  readonly name: string;
  readonly path: string;
  readonly icon: ComponentType<IconProps>;
}

export interface MenuGroup {
  readonly title: string;
  readonly screens: readonly MenuScreen[];
}

/** The reference of `/v1`: a page of the service, not a screen. */
export const REFERENCE_PATH = "/docs-v1";

const SERVICE: MenuGroup = {
  title: "Service",
  screens: [
    { name: "Organizations", path: "/organizations", icon: IconBuilding },
    { name: "Service", path: "/service", icon: IconActivity },
    { name: "Usage of all", path: "/service/usage", icon: IconChartBar },
    { name: "Events of all", path: "/service/events", icon: IconBell },
    { name: "Audit log of all", path: "/service/audit", icon: IconHistory },
  ],
};

const BUILD: MenuGroup = {
  title: "Build",
  screens: [
    { name: "Playground", path: "/playground", icon: IconMessage },
    { name: "Models", path: "/models", icon: IconCpu },
    { name: "API reference", path: REFERENCE_PATH, icon: IconFileText },
  ],
};

/** The groups of the menu; those of an organization only where one is shown. */
export function menuOf(role: Role, organizationId: string | null): readonly MenuGroup[] {
  const groups = organizationId === null ? [BUILD] : [observe(organizationId), BUILD, manage(role, organizationId)];
  return role === "operator" ? [SERVICE, ...groups] : groups;
}

function observe(organizationId: string): MenuGroup {
  const of = `/organizations/${organizationId}`;
  return {
    title: "Observe",
    screens: [
      { name: "Overview", path: `${of}/overview`, icon: IconLayoutDashboard },
      { name: "Responses", path: `${of}/turns`, icon: IconList },
      { name: "Usage", path: `${of}/usage`, icon: IconChartBar },
      { name: "Errors", path: `${of}/errors`, icon: IconAlertTriangle },
    ],
  };
}

function manage(role: Role, organizationId: string): MenuGroup {
  const of = `/organizations/${organizationId}`;
  const keys = { name: "Keys", path: `${of}/keys`, icon: IconKey };
  const members = { path: `${of}/members`, icon: IconUsers };
  if (!mayManage(role)) return { title: "Manage", screens: [keys, { name: "Members", ...members }] };
  return {
    title: "Manage",
    screens: [
      keys,
      { name: "Budgets and credits", path: `${of}/budgets`, icon: IconCoins },
      { name: "Members and tokens", ...members },
      { name: "Policy and limits", path: `${of}/policy`, icon: IconShield },
      { name: "Events", path: `${of}/events`, icon: IconBell },
      { name: "Audit log", path: `${of}/audit`, icon: IconHistory },
    ],
  };
}
