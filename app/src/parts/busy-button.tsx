import { Button, type ButtonProps, Loader } from "@mantine/core";
import type { ButtonHTMLAttributes } from "react";

/** A button that shows when it is busy, and does nothing then. It is not disabled: a disabled button loses the focus. */
export function BusyButton({
  isBusy,
  onClick,
  ...props
}: ButtonProps & ButtonHTMLAttributes<HTMLButtonElement> & { readonly isBusy: boolean }) {
  return (
    <Button
      {...props}
      aria-disabled={isBusy}
      leftSection={isBusy && <Loader size="xs" color="var(--button-color)" aria-hidden />}
      onClick={(event) => (isBusy ? event.preventDefault() : onClick?.(event))}
    />
  );
}
