import IconBuilding from "@tabler/icons-react/icons/IconBuilding";
import IconSelector from "@tabler/icons-react/icons/IconSelector";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { organizationQuery, organizationsQuery } from "../api/queries.ts";
import { TextField } from "../parts/fields.tsx";
import { MenuLink } from "../parts/link.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Popover } from "../parts/popover.tsx";
import { useSession } from "../session/session.ts";

/** More would not be read; the field above them finds the others. */
const SHOWN_MAX = 8;

/** The organization that is shown. An operator goes to another one here, and back to all of them. */
export function OrganizationSwitch({ pathname, organizationId }: { pathname: string; organizationId: string | null }) {
  const { role } = useSession();
  const { data: shown } = useQuery({ ...organizationQuery(organizationId ?? ""), enabled: organizationId !== null });
  const name = organizationId === null ? "All organizations" : (shown?.name ?? "Organization");
  const label = (
    <>
      <IconBuilding size={16} aria-hidden className="head-icon" />
      <span className="head-text">{name}</span>
    </>
  );
  if (role !== "operator") return <div className="head-organization">{label}</div>;
  return (
    <Popover
      className="head-button head-organization"
      button={
        <>
          <span className="for-readers">Organization: </span>
          {label}
          <IconSelector size={14} aria-hidden className="head-icon" />
        </>
      }
    >
      <Choice pathname={pathname} />
    </Popover>
  );
}

function Choice({ pathname }: { pathname: string }) {
  const organizations = useQuery(organizationsQuery);
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  return (
    <div className="switch">
      <TextField label="Go to an organization" placeholder="Name or id" value={text} onChange={setText} />
      <Loaded query={organizations}>
        {(data) => {
          const found = data.filter(({ id, name }) => `${name} ${id}`.toLowerCase().includes(wanted));
          return (
            <ul>
              {found.slice(0, SHOWN_MAX).map(({ id, name }) => (
                <li key={id}>
                  <MenuLink to={pathIn(pathname, id)}>{name}</MenuLink>
                </li>
              ))}
              {found.length > SHOWN_MAX && (
                <li className="switch-more">{found.length - SHOWN_MAX} more: type a name</li>
              )}
              <li>
                <MenuLink to="/organizations">All organizations</MenuLink>
              </li>
            </ul>
          );
        }}
      </Loaded>
    </div>
  );
}

/** The screen of the path in another organization; what it shows of one there, such as a response, is not in the other. */
function pathIn(pathname: string, id: string): string {
  const screen = /^\/organizations\/[^/]+\/([a-z]+)/.exec(pathname)?.[1] ?? "overview";
  return `/organizations/${id}/${screen}`;
}
