// Metrics by organization, which are off by default. They wrap the other metrics, so that a service without them does no
// work for them. docs/observability.md (By organization)
import Gauge from "prom-client/lib/gauge.js";
import type Registry from "prom-client/lib/registry.js";
import { DAY_MS } from "../../base/time.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { AccountStore } from "../../ports/store/accounts.ts";
import type { MoneyStore } from "../../ports/store/money.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { createCounter } from "./series.ts";
import { readForScrapes } from "./store.ts";
import { splitUsage, toCredits } from "./traffic.ts";

/** The most organizations with series of their own. */
export const ORGANIZATIONS_MAX = 200;
/** The label of all others. The id of an organization begins with `org_`. */
const OTHER = "other";

export interface OrganizationMetrics {
  /** The given telemetry, which counts by organization too. */
  readonly telemetry: Telemetry;
  /** Gives these organizations series of their own, in this order, as long as there are places. */
  list(organizationIds: readonly string[]): void;
  /** The ids that are labels. */
  listed(): Iterable<string>;
}

/** Adds the counters to `registry`; they count what is reported to `telemetry`. */
export function createOrganizationMetrics(registry: Registry, telemetry: Telemetry): OrganizationMetrics {
  const turns = createCounter({
    name: "turngate_organization_turns_total",
    help: "Turns that ended, by organization.",
    labelNames: ["organization", "status"],
    registry,
  });
  const tokens = createCounter({
    name: "turngate_organization_tokens_total",
    help: "Tokens used, by organization; the kinds do not overlap.",
    labelNames: ["organization", "kind"],
    registry,
  });
  const charged = createCounter({
    name: "turngate_organization_credits_charged_total",
    help: "Credits charged for turns, by organization.",
    labelNames: ["organization"],
    registry,
  });
  const errors = createCounter({
    name: "turngate_organization_refusals_total",
    help: "Requests with a valid key that got an error response, by organization and code.",
    labelNames: ["organization", "code"],
    registry,
  });

  // An organization keeps its place: a series that moved into `other` would end, and `other` would jump.
  const listed = new Set<string>();
  const labelOf = (organizationId: string): string => {
    if (listed.has(organizationId)) return organizationId;
    if (listed.size >= ORGANIZATIONS_MAX) return OTHER;
    listed.add(organizationId);
    return organizationId;
  };

  return {
    list: (organizationIds) => organizationIds.forEach(labelOf),
    listed: () => listed,
    telemetry: {
      ...telemetry,
      requestStarted(start) {
        const observed = telemetry.requestStarted(start);
        return {
          during: observed.during,
          ended(end) {
            observed.ended(end);
            const { organizationId, code } = end;
            if (organizationId !== undefined && code !== null) errors([labelOf(organizationId), code]);
          },
        };
      },
      responseStarted(start) {
        const observed = telemetry.responseStarted(start);
        return {
          providerCall: observed.providerCall,
          targetCalled: observed.targetCalled,
          output: observed.output,
          ended(report) {
            observed.ended(report);
            const { status, usage, charge } = report;
            const organization = labelOf(start.organizationId);
            turns([organization, status]);
            if (usage !== null) {
              for (const [kind, amount] of splitUsage(usage)) if (amount > 0) tokens([organization, kind], amount);
            }
            if (charge !== null) charged([organization], toCredits(charge.chargedNano));
          },
        };
      },
    },
  };
}

/**
 * Adds the names of the organizations that have series of their own. One without a name, since it is deleted, has its id
 * in its place, so that a query which joins the names loses no series.
 */
export function addOrganizationNames(
  registry: Registry,
  { listed }: Pick<OrganizationMetrics, "listed">,
  { store, clock }: { readonly store: Pick<AccountStore, "listOrganizations">; readonly clock: Clock },
): void {
  const readOrganizations = readForScrapes(() => store.listOrganizations(), clock);
  const gauge: Gauge<"organization" | "name"> = new Gauge({
    name: "turngate_organization_info",
    help: "The name of each organization with series of its own.",
    labelNames: ["organization", "name"],
    registers: [registry],
    async collect() {
      const found = await readOrganizations();
      gauge.reset();
      if (found === null) return;
      const names = new Map(found.map(({ id, name }) => [id, name]));
      for (const organization of [...listed(), OTHER])
        gauge.set({ organization, name: names.get(organization) ?? organization }, 1);
    },
  });
}

/** The days whose charges make an organization busy, today included. */
const BUSY_DAYS = 7;

/**
 * Gives the organizations that were charged most lately series of their own, before others take the places: the same on
 * every node. Never rejects: if the store does not answer, the organizations that come first take them.
 */
export async function listBusiest(
  { list }: Pick<OrganizationMetrics, "list">,
  { store, clock, log }: { store: Pick<MoneyStore, "readUsage">; clock: Pick<Clock, "nowMs">; log: Pick<Log, "warn"> },
): Promise<void> {
  const fromDay = Math.floor(clock.nowMs() / DAY_MS) - BUSY_DAYS + 1;
  const query = { organizationId: null, by: ["organization"], fromDay, toDay: null, limit: ORGANIZATIONS_MAX } as const;
  try {
    const rows = await store.readUsage(query);
    list(rows.flatMap(({ groups: [organization] }) => organization?.id ?? []));
  } catch (error) {
    log.warn("metrics.organizations_unknown", {}, error);
  }
}
