import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useId, useState } from "react";
import type { Role } from "../api/client.ts";
import { anyIdQuery } from "../api/operator-queries.ts";
import { idQuery, keysQuery, membersQuery, modelsQuery, organizationsQuery } from "../api/queries.ts";
import { Dialog, useCloseDialog } from "../parts/dialog.tsx";
import { TextField } from "../parts/fields.tsx";
import { ShortIds } from "../parts/id.tsx";
import { mayManage } from "../session/roles.ts";
import { useSession } from "../session/session.ts";
import { find, type Found, mayBeId } from "./found.ts";
import { menuOf, REFERENCE_PATH } from "./screens.ts";

/** The screens of the menus, as the person's role has them. */
function screensOf(role: Role, organizationId: string | null): Found[] {
  const all = [
    ...menuOf(role, organizationId).flatMap(({ screens }) => screens),
    { name: "Account", path: "/account" },
  ];
  return all.map(({ name, path }) => ({ name, kind: "Screen", href: path }));
}

/** A text once it has stayed the same for a moment, so that not every letter asks the service. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), 150);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** Finds screens, ids and names; the arrows choose, Enter opens. */
export function SearchDialog({ organizationId }: { organizationId: string | null }) {
  const { role } = useSession();
  const navigate = useNavigate();
  const close = useCloseDialog();
  const list = useId();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const screens = screensOf(role, organizationId);
  const id = organizationId ?? "";
  const isOne = organizationId !== null;
  const { data: keys = [] } = useQuery({ ...keysQuery(id), enabled: isOne });
  const { data: members = [] } = useQuery({ ...membersQuery(id), enabled: isOne && mayManage(role) });
  const { data: models = [] } = useQuery(modelsQuery);
  const { data: organizations = [] } = useQuery({ ...organizationsQuery, enabled: role === "operator" });
  const typed = useSettled(text.trim());
  const isOperator = role === "operator";
  const { data: own = [] } = useQuery({ ...idQuery(id, typed), enabled: isOne && mayBeId(typed) });
  // An operator finds an id in whatever organization has it.
  const { data: any } = useQuery({ ...anyIdQuery(typed), enabled: isOperator && mayBeId(typed) });
  const elsewhere = any?.organization == null || any.organization === organizationId ? null : any;
  const ids = elsewhere?.data ?? own;
  const idsOf = elsewhere && { id: elsewhere.organization ?? "", name: elsewhere.organization_name ?? "" };
  const found = find(text, { organizationId, screens, keys, members, models, organizations, ids, idsOf });
  const at = Math.min(chosen, found.length - 1);
  const openFound = ({ href }: Found) => {
    close();
    // The reference is a page of the service, not a screen.
    if (href === REFERENCE_PATH) window.location.assign(href);
    else void navigate({ href });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const one = found[at];
    if (step !== undefined) {
      event.preventDefault();
      setChosen(Math.max(0, Math.min(found.length - 1, at + step)));
    } else if (event.key === "Enter" && one !== undefined) {
      event.preventDefault();
      openFound(one);
    }
  };
  return (
    <Dialog title="Search">
      <TextField
        label="Screen, name or id"
        placeholder="resp_…, req_…, conv_…, a key, member or model"
        role="combobox"
        aria-expanded
        aria-autocomplete="list"
        aria-controls={list}
        {...(at < 0 ? {} : { "aria-activedescendant": `${list}-${at}` })}
        autoComplete="off"
        data-autofocus
        value={text}
        onChange={(wanted) => {
          setText(wanted);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={list} role="listbox" aria-label="Found" className="found">
        {found.map((one, index) => (
          // oxlint-disable-next-line click-events-have-key-events -- the field above has the keys
          <div
            key={`${one.kind} ${one.href}`}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            className="found-one"
            onClick={() => openFound(one)}
          >
            <span>{one.name}</span>
            <span className="found-kind">
              <ShortIds text={one.kind} isPlain />
            </span>
          </div>
        ))}
      </div>
      {found.length === 0 && (
        <Text size="sm" mt="sm" role="status">
          Nothing has this name or id.
        </Text>
      )}
    </Dialog>
  );
}
