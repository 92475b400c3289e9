// The head of every screen: the organization, the search and the person.
import { Drawer, UnstyledButton } from "@mantine/core";
import IconMenu2 from "@tabler/icons-react/icons/IconMenu2";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { OrganizationSwitch } from "./organization-switch.tsx";
import { PersonMenu } from "./person-menu.tsx";
import { Search } from "./search-button.tsx";

export function HeadBar({
  pathname,
  organizationId,
  menu,
}: {
  pathname: string;
  organizationId: string | null;
  /** The menu, where it does not stand beside the screen. */
  menu: ReactNode;
}) {
  return (
    <section aria-label="Head" className="head">
      {menu !== null && <MenuDrawer pathname={pathname}>{menu}</MenuDrawer>}
      <Link to="/" className="head-name" aria-label="Turngate" />
      <OrganizationSwitch pathname={pathname} organizationId={organizationId} />
      <Search organizationId={organizationId} />
      <PersonMenu />
    </section>
  );
}

/** The menu in a narrow window: a drawer, which a visit closes. */
function MenuDrawer({ pathname, children }: { pathname: string; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [pathname]);
  return (
    <>
      <UnstyledButton className="head-button" aria-label="Menu" aria-expanded={isOpen} onClick={() => setOpen(true)}>
        <IconMenu2 size={20} aria-hidden />
      </UnstyledButton>
      <Drawer
        opened={isOpen}
        onClose={() => setOpen(false)}
        title="Turngate"
        closeButtonProps={{ "aria-label": "Close" }}
      >
        {children}
      </Drawer>
    </>
  );
}
