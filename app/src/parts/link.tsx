// Links to screens, typed by the router.
import { Anchor, type AnchorProps, Button, type ButtonProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, Ref } from "react";

type Attributes = AnchorHTMLAttributes<HTMLAnchorElement> & { ref?: Ref<HTMLAnchorElement> };

/** A link within text, underlined: its colour alone does not tell it from the words around it. */
export const TextLink = createLink((props: Omit<AnchorProps, "component"> & Attributes) => (
  <Anchor underline="always" inherit {...props} />
));

/** A link that looks like a button. */
export const ButtonLink = createLink((props: ButtonProps & Attributes) => <Button component="a" {...props} />);

/** An entry of the menu. */
export const MenuLink = createLink((props: Attributes) => (
  <li>
    <a {...props} className="nav-link" />
  </li>
));
