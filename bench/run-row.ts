/** Runs one row. */
import type { Family } from "./families.ts";
import { gatherCompany } from "./process/child.ts";
import { runRounds, type Measured } from "./rounds.ts";
import type { Row } from "./row.ts";
import { judge, type Judged } from "./verdict.ts";

export interface RowRun {
  readonly row: Row;
  /** The figures to measure. */
  readonly ids: ReadonlySet<string>;
  readonly providerPort: number;
  readonly family: Family;
  readonly isQuick: boolean;
  readonly tell: (text: string) => void;
}

export interface RowResult {
  readonly figures: readonly Judged[];
  readonly notes: readonly string[];
}

const ROUNDS = { full: 5, quick: 2 };
/** Duration of a quick round and its warm-up, as a share of a full one. */
const QUICK_SHARE = 0.5;
/** Below this share of its core a gateway was waiting for something else. */
const BUSY_SHARE = 0.85;

/** Starts the sides of a row, measures them and judges the figures; stops everything, even on errors. */
export async function runRow({ row, ids, providerPort, family, isQuick, tell }: RowRun): Promise<RowResult> {
  const company = gatherCompany();
  const wanted = row.figures.filter((figure) => ids.has(figure.id));
  try {
    tell("starting");
    const experiment = await row.start(ids, { providerPort, family, isQuick, keep: company.keep });
    const share = isQuick ? QUICK_SHARE : 1;
    const measured = await runRounds(experiment, {
      rounds: isQuick ? ROUNDS.quick : ROUNDS.full,
      seconds: row.seconds * share,
      warmSeconds: experiment.warmSeconds * share,
      tell,
    });
    return {
      figures: wanted.map((figure) => judge(figure, measured)),
      notes: [...(experiment.notes ?? []), ...busyNotes(wanted[0]?.id ?? "", measured)],
    };
  } catch (error) {
    for (const casualty of company.casualties()) tell(casualty);
    throw error;
  } finally {
    await company.disband();
  }
}

function busyNotes(id: string, { busy }: Measured): readonly string[] {
  return [...busy]
    .filter(([, share]) => share < BUSY_SHARE)
    .map(
      ([side, share]) =>
        `${id}: ${side} kept its core ${Math.round(share * 100)} % busy; it waited for the disk or the load`,
    );
}
