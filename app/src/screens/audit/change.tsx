// What an entry of the audit log changed.
import type { ReactNode } from "react";
import type { AuditEntry } from "../../api/client.ts";
import { describe } from "./describe.ts";

/** The fields that differ, before and after. */
export function Change({ of: { before, after }, named }: { of: AuditEntry; named: (text: string) => string }) {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return fields.map((field): ReactNode => {
    const [old, now] = [describe(field, before?.[field]), describe(field, after?.[field])];
    if (old === now) return null;
    return (
      <div key={field}>
        {field.replaceAll("_", " ")}: {old !== null && <del>{named(old)}</del>}{" "}
        {now !== null && <ins>{named(now)}</ins>}
      </div>
    );
  });
}
