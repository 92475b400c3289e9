// Lines of usage, for exports. docs/usage-export.md
import type { UsageWithSavings } from "./money.ts";

/** Where a line of usage is among those of its day: they are in the order of these. */
export interface UsageLinePlace {
  readonly organizationId: string;
  readonly keyId: string;
  /** The owner of the key at the time; null: it had none. */
  readonly memberId: string | null;
  readonly model: string;
  /** Of the log of turns; null: without one, or erased. */
  readonly label: string | null;
}

/** The usage of a day by everything that distinguishes it. */
export interface UsageLine extends UsageWithSavings, UsageLinePlace {
  readonly organizationName: string;
  readonly keyName: string | null;
  /** Null: the member was removed, or there is none. */
  readonly memberEmail: string | null;
  /** In a line with a label, of the turns that ended since it is counted for each of them; the rest is in the line without. */
  readonly savedNano: bigint;
}

export interface UsageLineStore {
  /**
   * Usage and charges of ended responses on a day of a zone (null: UTC), of one organization or (null) of all, by key,
   * member, model and label: those after a place, at most `limit`. They add up to what `readUsage` reads.
   */
  readUsageLines(query: {
    organizationId: string | null;
    /** Only usage of that member's keys. */
    memberId: string | null;
    day: number;
    zone: string | null;
    after: UsageLinePlace | null;
    limit: number;
  }): Promise<readonly UsageLine[]>;
}
