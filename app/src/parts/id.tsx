import type { ReactNode } from "react";
import { CopyIcon } from "./copy.tsx";
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
      <CopyIcon text={id} label={`Copy ${id}`} />
    </span>
  );
}

/** A text in which ids, those that have no name, are shortened. One at its end has a button that copies it. */
export function ShortIds({ text, isPlain = false }: { text: string; isPlain?: boolean }) {
  const parts = text.split(/\b([a-z]+_[0-9a-f]{32})\b/);
  return parts.map((part, at) => {
    if (at % 2 === 0) return part;
    return isPlain || parts[at + 1] !== "" ? <Short key={part} id={part} /> : <Id key={part} id={part} />;
  });
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
