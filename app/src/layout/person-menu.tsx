import IconLogout from "@tabler/icons-react/icons/IconLogout";
import IconUser from "@tabler/icons-react/icons/IconUser";
import { useMutation } from "@tanstack/react-query";
import { BusyButton } from "../parts/busy-button.tsx";
import { ColorScheme } from "../parts/color-scheme.tsx";
import { ErrorNotice } from "../parts/error-notice.tsx";
import { MenuLink, NavIcon } from "../parts/link.tsx";
import { Popover } from "../parts/popover.tsx";
import { useSession, useSignOut } from "../session/session.ts";

/** The person: who it is, the colours, the account, and the way out. */
export function PersonMenu() {
  const { member, operator, role, organization } = useSession();
  const who = member?.email ?? operator?.name ?? role;
  return (
    <Popover
      isAtEnd
      className="head-button head-person"
      label={`Signed in as ${who}`}
      button={<span className="avatar">{who.slice(0, 1).toUpperCase()}</span>}
    >
      <p className="person">
        <strong>{who}</strong>
        <br />
        {role}
        {organization === null ? " of the service" : ` of ${organization.name}`}
      </p>
      <ColorScheme />
      <ul>
        <li>
          <MenuLink to="/account">
            <NavIcon icon={IconUser} />
            Account
          </MenuLink>
        </li>
      </ul>
      <SignOut />
    </Popover>
  );
}

function SignOut() {
  const signOut = useMutation({ mutationFn: useSignOut() });
  return (
    <>
      <BusyButton
        size="xs"
        variant="default"
        fullWidth
        leftSection={<IconLogout size={14} aria-hidden />}
        isBusy={signOut.isPending}
        onClick={() => signOut.mutate()}
      >
        Sign out
      </BusyButton>
      {signOut.error !== null && <ErrorNotice error={signOut.error} />}
    </>
  );
}
