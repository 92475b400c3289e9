// The existing accounts in the terms of the file, and the changes that bring them in line with it.
import type { BudgetEntry, KeyEntry, MemberEntry, OrganizationEntry } from "../../contract/manage/accounts-file.ts";
import type { BudgetPeriod, BudgetScope } from "../../contract/money.ts";

export interface PolicyValues {
  readonly allow_models: readonly string[] | null;
  readonly deny_models: readonly string[];
  readonly tool_calls_per_turn: number | null;
}

export type LimitValues = Readonly<Required<NonNullable<OrganizationEntry["limits"]>>>;

/** What the file says of an organization itself. */
export interface OrganizationValues {
  readonly name: string;
  readonly plan: boolean;
  readonly payment_method: boolean;
  readonly suspended: boolean;
  readonly retention_days: number | null;
  readonly policy: PolicyValues;
  readonly limits: LimitValues;
}

/** Only the values that change. */
export type ChangedValues = Partial<Omit<OrganizationValues, "policy" | "limits">> & {
  readonly policy?: Partial<PolicyValues>;
  readonly limits?: Partial<LimitValues>;
};

export type MemberValues = Pick<MemberEntry, "role">;
export type KeyLimitValues = Readonly<Required<NonNullable<KeyEntry["limits"]>>>;
export type KeyValues = Readonly<Required<Pick<KeyEntry, "member" | "permissions" | "unanswered_calls">>> & {
  readonly limits: KeyLimitValues;
};
export type BudgetValues = Pick<BudgetEntry, "limit">;

export interface ExistingMember extends MemberValues {
  readonly id: string;
  readonly email: string;
}

/** A key that is not revoked. Its member is an e-mail address, or the id of a removed member. */
export interface ExistingKey extends KeyValues {
  readonly id: string;
  readonly name: string;
}

/** A budget; those of revoked keys remain as a record and are left out. */
export interface ExistingBudget extends BudgetValues {
  readonly scope: BudgetScope;
  readonly period: BudgetPeriod;
  /** The key or the member; null in the other scopes. */
  readonly id: string | null;
}

export interface ExistingOrganization {
  readonly id: string;
  readonly values: OrganizationValues;
  /** Its credits, with those that running turns hold. */
  readonly balance: number;
  readonly members: readonly ExistingMember[];
  readonly keys: readonly ExistingKey[];
  readonly budgets: readonly ExistingBudget[];
}

/** An organization of the file, whose members, keys and budgets are to be planned. */
export interface PlannedOrganization {
  /** Its name, after its own change. */
  readonly organization: string;
  readonly entry: OrganizationEntry;
  /** The entry's place in the file. */
  readonly at: Place;
  /** What exists of it; null: it has to be created. */
  readonly present: ExistingOrganization | null;
  /** The full ids of a list of models. Throws an AccountsFileFault for an unknown bare form. */
  readonly readModels: (place: Place, names: readonly string[]) => string[];
  /** Whether members, keys and budgets are removed that a list of the file does not have. */
  readonly prune: boolean;
}

interface ChangeOf<Object extends string, Values> {
  readonly object: Object;
  /** A key is revoked, a member removed, a budget cleared; an organization stays. */
  readonly action: "create" | "change" | "remove";
  /** The organization's name, after its own change. */
  readonly organization: string;
  /** Id of the existing object; null when it is created. */
  readonly id: string | null;
  /** The name of a key, the e-mail address of a member, the name of an organization. */
  readonly name: string;
  readonly before: Values | null;
  readonly after: Values | null;
}

export type OrganizationChange = ChangeOf<"organization", ChangedValues>;
export type MemberChange = ChangeOf<"member", MemberValues>;
export type KeyChange = ChangeOf<"key", KeyValues>;
/** The id is that of the key or member, null while there is none; the name is theirs, or the organization's. */
export interface BudgetChange extends ChangeOf<"budget", BudgetValues> {
  readonly scope: BudgetScope;
  readonly period: BudgetPeriod;
}

/** A top-up, from the balance that it was planned with. */
export type CreditsChange = ChangeOf<"credits", { readonly balance: number }>;

export type AccountChange = OrganizationChange | CreditsChange | MemberChange | KeyChange | BudgetChange;

/** The path of a value in the file: keys and indexes. */
export type Place = readonly (string | number)[];

/** A value of the file that can't be applied. `predicate` follows the value's name: `is …; allowed: …`. */
export class AccountsFileFault extends Error {
  override readonly name = "AccountsFileFault";
  readonly place: Place;
  readonly predicate: string;

  constructor(place: Place, predicate: string) {
    super(predicate);
    this.place = place;
    this.predicate = predicate;
  }
}
