// Reads what needs a person, on every screen.
import { useQuery } from "@tanstack/react-query";
import {
  budgetsQuery,
  failuresQuery,
  increasesQuery,
  organizationQuery,
  providersQuery,
  usageQuery,
} from "../api/queries.ts";
import { dayIn, ownZone } from "../parts/days.ts";
import { useMoneyWords } from "../parts/money.tsx";
import { useBudgetNames } from "../screens/budgets/budget-names.ts";
import { mayManage } from "../session/roles.ts";
import { useSession } from "../session/session.ts";
import { type Attention, attentionOf } from "./attention.ts";
import { recentHoursQuery, turnsBetween } from "./recent-turns.ts";

const EVERY_MS = 30_000;
const DAYS = 7;
const HOUR_SECONDS = 3600;

/** What needs the person who is signed in, the urgent first; a member can change nothing of it. */
export function useAttention(organizationId: string | null): readonly Attention[] {
  const { role } = useSession();
  const id = organizationId ?? "";
  const isOfOne = { enabled: organizationId !== null && mayManage(role), refetchInterval: EVERY_MS };
  const isOfOperator = { enabled: role === "operator", refetchInterval: EVERY_MS };
  const zone = ownZone();
  const week = { from: dayIn(zone, DAYS - 1), to: dayIn(zone), zone };
  const { data: organization } = useQuery({ ...organizationQuery(id), ...isOfOne });
  const { data: budgets } = useQuery({ ...budgetsQuery(id), ...isOfOne });
  const { data: increases } = useQuery({ ...increasesQuery(id), ...isOfOne });
  const { data: usage } = useQuery({ ...usageQuery(id, week), ...isOfOne });
  // Failures are summed by hours: this one and the one before it.
  const from = (Math.floor(Date.now() / 1000 / HOUR_SECONDS) - 1) * HOUR_SECONDS;
  const { data: failures } = useQuery({ ...failuresQuery(id, { from, by: "kind,code" }), ...isOfOne });
  const { data: hours } = useQuery({ ...recentHoursQuery(id), ...isOfOne });
  const { data: providers } = useQuery({ ...providersQuery, ...isOfOperator });
  const budget = useBudgetNames(id, isOfOne.enabled && (budgets?.length ?? 0) > 0);
  const credits = useMoneyWords();
  const outcomes = failures && hours && { turns: turnsBetween(hours, from), failures: failures.data };
  const known = { organization, budgets, increases, providers, outcomes, weekCredits: usage?.data[0]?.credits };
  return attentionOf(known, { budget, credits });
}
