// Links to screens, typed by the router.
import { Anchor, type AnchorProps, Button, type ButtonProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { IconProps } from "@tabler/icons-react";
import type { AnchorHTMLAttributes, ComponentType, Ref } from "react";

type Attributes = AnchorHTMLAttributes<HTMLAnchorElement> & { ref?: Ref<HTMLAnchorElement> };

/** A link within text, underlined: its colour alone does not tell it from the words around it. */
export const TextLink = createLink((props: Omit<AnchorProps, "component"> & Attributes) => (
  <Anchor underline="always" inherit {...props} />
));

/** A link that looks like a button. */
export const ButtonLink = createLink((props: ButtonProps & Attributes) => <Button component="a" {...props} />);

/** The picture of a menu's entry, whose words follow it. */
export function NavIcon({ icon: Picture }: { icon: ComponentType<IconProps> }) {
  return <Picture size={18} stroke={1.6} className="nav-icon" aria-hidden />;
}

const Entry = createLink((props: Attributes) => <a {...props} className="nav-link" />);

/** An entry of a menu, marked as the current one on its own screen only. */
export const MenuLink: typeof Entry = (props) => (
  <Entry activeOptions={{ exact: true, includeSearch: false }} {...props} />
);
