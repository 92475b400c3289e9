import { UnstyledButton } from "@mantine/core";
import IconSearch from "@tabler/icons-react/icons/IconSearch";
import { lazy, Suspense, useEffect } from "react";
import { useDialog } from "../parts/dialog.tsx";

const SearchDialog = lazy(async () => ({ default: (await import("./search-dialog.tsx")).SearchDialog }));

/** The button that opens the search, as Ctrl+K does. The search is loaded when it is first opened. */
export function Search({ organizationId }: { organizationId: string | null }) {
  const { open, dialog } = useDialog();
  const show = () =>
    open(
      <Suspense fallback={null}>
        <SearchDialog organizationId={organizationId} />
      </Suspense>,
    );
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      // Not over another dialog, which may hold what was entered.
      if (document.querySelector("[role=dialog]") === null) show();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });
  return (
    <>
      <UnstyledButton className="head-search" aria-keyshortcuts="Control+K" onClick={show}>
        <IconSearch size={16} aria-hidden />
        <span>Search</span>
      </UnstyledButton>
      {dialog}
    </>
  );
}
