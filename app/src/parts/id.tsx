import { CopyButton, UnstyledButton } from "@mantine/core";
import IconCheck from "@tabler/icons-react/icons/IconCheck";
import IconCopy from "@tabler/icons-react/icons/IconCopy";
import type { ReactNode } from "react";
import { partsOfId } from "./short-id.ts";

/** An id in a table: shortened in the middle, whole on hover, with a button that copies it. */
export function Id({
  id,
  link = (short) => short,
}: {
  id: string;
  /** What the shortened id is shown in, such as a link. */
  link?: (short: ReactNode) => ReactNode;
}) {
  return (
    <span className="id" title={id}>
      {link(<Short id={id} />)}
      <CopyButton value={id}>
        {({ copied, copy }) => (
          <UnstyledButton className="id-copy" aria-label={copied ? "Copied" : `Copy ${id}`} onClick={copy}>
            {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
          </UnstyledButton>
        )}
      </CopyButton>
    </span>
  );
}

/** The middle is there for whoever selects, searches or listens, and is not seen. */
function Short({ id }: { id: string }) {
  const [head, middle, tail] = partsOfId(id) ?? [id, "", ""];
  return (
    <code>
      {head}
      {middle !== "" && <span className="id-middle">{middle}</span>}
      {tail}
    </code>
  );
}
