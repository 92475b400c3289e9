// What an entry of the audit log changed.
import type { AuditEntry } from "../../api/client.ts";
import { useMoneyWords } from "../../parts/money.tsx";
import { Popover } from "../../parts/popover.tsx";
import { describe } from "./describe.ts";

interface FieldChange {
  readonly field: string;
  readonly old: string | null;
  readonly now: string | null;
}

/** The fields that differ, before and after: the first of them in the line, and all when it is pressed. */
export function Change({ entry, named }: { entry: AuditEntry; named: (text: string) => string }) {
  const changes = changesOf(entry, useMoneyWords()).map(({ field, old, now }) => ({
    field: field.replaceAll("_", " "),
    old: old === null ? null : named(old),
    now: now === null ? null : named(now),
  }));
  const [first, second] = changes;
  if (first === undefined) return null;
  return (
    <Popover
      className="change"
      button={
        <>
          <OneChange change={first} />
          {second !== undefined && <span className="change-more">+{changes.length - 1}</span>}
        </>
      }
    >
      <ul className="changes">
        {changes.map((change) => (
          <li key={change.field}>
            <OneChange change={change} />
          </li>
        ))}
      </ul>
    </Popover>
  );
}

function OneChange({ change: { field, old, now } }: { change: FieldChange }) {
  return (
    <span className="change-one">
      {field}: {old !== null && <del>{old}</del>} {now !== null && <ins>{now}</ins>}
    </span>
  );
}

/** What a change is about says less than what changed: it comes last. */
const ABOUT = ["scope", "id", "period"];

function changesOf({ before, after }: AuditEntry, money: (amount: number) => string): readonly FieldChange[] {
  const all = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const fields = [...all.filter((field) => !ABOUT.includes(field)), ...all.filter((field) => ABOUT.includes(field))];
  return fields
    .map((field) => ({
      field,
      old: describe(field, before?.[field], money),
      now: describe(field, after?.[field], money),
    }))
    .filter(({ old, now }) => old !== now);
}
