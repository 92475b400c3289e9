// What opens below a button: a menu or a choice. The browser closes it on Escape and on a click elsewhere.
import { UnstyledButton } from "@mantine/core";
import { type ReactNode, useId, useRef, useState } from "react";

/** A button, and what it opens. The children are there only while it is open; a link among them closes it. */
export function Popover({
  button,
  label,
  className,
  isAtEnd = false,
  isMenu = false,
  children,
}: {
  /** What the button shows. */
  button: ReactNode;
  /** Its name, where it shows no words. */
  label?: string;
  className?: string;
  /** Whether it ends below the end of the button. */
  isAtEnd?: boolean;
  /** Whether it has a menu, whose first item gets the focus. */
  isMenu?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <UnstyledButton
        className={className}
        popoverTarget={id}
        {...(isMenu ? { "aria-haspopup": "menu" } : {})}
        {...(label === undefined ? {} : { "aria-label": label, title: label })}
      >
        {button}
      </UnstyledButton>
      {/* oxlint-disable-next-line click-events-have-key-events -- a press of Enter on a link is a click */}
      <div
        id={id}
        ref={place}
        popover="auto"
        className={isAtEnd ? "popover popover-end" : "popover"}
        onBeforeToggle={({ newState }) => {
          if (newState === "open") setOpen(true);
        }}
        onToggle={({ newState }) => {
          // Not before: the browser gives the focus back only while what has it is still there.
          if (newState === "closed") setOpen(false);
          else if (isMenu) place.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
        }}
        onClick={({ target }) => {
          if (target instanceof Element && target.closest("a, [data-closes]") !== null) place.current?.hidePopover();
        }}
      >
        {isOpen && children}
      </div>
    </>
  );
}
