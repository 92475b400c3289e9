import { useLocation } from "@tanstack/react-router";
import type { Attention } from "../attention/attention.ts";
import { MenuLink, NavIcon } from "../parts/link.tsx";
import { useSession } from "../session/session.ts";
import { filtersFor } from "./travel.ts";
import { menuOf, REFERENCE_PATH, type MenuScreen } from "./screens.ts";

/** The screens in groups, with a mark where something waits for the person. */
export function Menu({
  organizationId,
  attention,
}: {
  organizationId: string | null;
  attention: readonly Attention[];
}) {
  const { role } = useSession();
  return (
    <nav className="nav" aria-label="Screens">
      {menuOf(role, organizationId).map(({ title, screens }) => (
        <div key={title}>
          <p className="nav-heading">{title}</p>
          <ul>
            {screens.map((screen) => (
              <li key={screen.path}>
                <Entry screen={screen} waiting={attention.filter((one) => screen.path.endsWith(`/${one.screen}`))} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function Entry({ screen, waiting }: { screen: MenuScreen; waiting: readonly Attention[] }) {
  const { name, path, icon } = screen;
  const shown = useLocation();
  if (path === REFERENCE_PATH) {
    return (
      <a className="nav-link" href={path}>
        <NavIcon icon={icon} />
        {name}
      </a>
    );
  }
  return (
    <>
      <MenuLink to={path} search={filtersFor(path, shown)}>
        <NavIcon icon={icon} />
        {name}
      </MenuLink>
      {waiting.length > 0 && (
        <span
          className={waiting.some(({ isUrgent }) => isUrgent) ? "nav-mark nav-mark-urgent" : "nav-mark"}
          title={waiting.map(({ text }) => text).join("\n")}
        >
          {waiting.length}
          <span className="for-readers"> {waiting.length === 1 ? "thing waits" : "things wait"} for you</span>
        </span>
      )}
    </>
  );
}
