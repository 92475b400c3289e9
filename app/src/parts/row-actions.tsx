import { Button } from "@mantine/core";
import IconDots from "@tabler/icons-react/icons/IconDots";
import type { KeyboardEvent, ReactNode } from "react";
import { Popover } from "./popover.tsx";

type Actions = Readonly<Record<string, () => void>>;

/** What can be done to the row of a table: a single action as a button, several in a menu, what destroys apart. */
export function RowActions({
  subject,
  actions = {},
  dangerous = {},
  nameOf = (label) => `${label} ${subject}`,
  children,
}: {
  /** What the row is, as the menu's name says it. */
  subject: string;
  /** By their labels. */
  actions?: Actions;
  /** Those that end or delete something. */
  dangerous?: Actions;
  /** The full name of an action. */
  nameOf?: (label: string) => string;
  /** Buttons before them. */
  children?: ReactNode;
}) {
  const all = [
    ...Object.entries(actions).map(([label, act]) => ({ label, act, isDangerous: false })),
    ...Object.entries(dangerous).map(([label, act]) => ({ label, act, isDangerous: true })),
  ];
  const [first, second] = all;
  return (
    <div className="row-actions">
      {children}
      {first !== undefined && second === undefined && (
        <Button
          size="compact-sm"
          variant="default"
          className={first.isDangerous ? "row-danger" : ""}
          aria-label={nameOf(first.label)}
          onClick={first.act}
        >
          {first.label}
        </Button>
      )}
      {second !== undefined && (
        <Popover
          isAtEnd
          isMenu
          className="row-menu"
          label={`Actions of ${subject}`}
          button={<IconDots size={18} aria-hidden />}
        >
          <ul role="menu" aria-label={`Actions of ${subject}`} onKeyDown={moveFocus}>
            {all.map(({ label, act, isDangerous }) => (
              <li key={label} role="none">
                <button
                  type="button"
                  role="menuitem"
                  tabIndex={-1}
                  data-closes
                  className={isDangerous ? "menu-item menu-item-danger" : "menu-item"}
                  aria-label={nameOf(label)}
                  onClick={act}
                >
                  {label}
                </button>
              </li>
            ))}
          </ul>
        </Popover>
      )}
    </div>
  );
}

/** The arrows, Home and End go through a menu, and round its ends. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=menuitem]")];
  const at = items.findIndex((item) => item === document.activeElement);
  const places: Readonly<Record<string, number>> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 };
  const place = places[event.key];
  if (place === undefined) {
    // As if the menu were not there: Tab goes on from the button that opened it.
    if (event.key === "Tab") event.currentTarget.closest<HTMLElement>("[popover]")?.hidePopover();
    return;
  }
  event.preventDefault();
  items.at(place % items.length)?.focus();
}
