// Operations that try a budget or a policy on the last month. docs/management.md (Trials)
import { invalidInput } from "../../contract/errors.ts";
import { BUDGET_PERIODS, BUDGET_SCOPES } from "../../contract/money.ts";
import { type BudgetName, readBudgetName } from "../../core/money/budgets.ts";
import { readCredits } from "../../core/money/credits.ts";
import { readModels } from "../accounts/organizations.ts";
import { tryOrganizationBudget, tryPolicy as tryModelRules } from "../accounts/trials.ts";
import type { OrganizationRequest } from "./authorized-request.ts";
import { quote, readOneOf, readText } from "./query-text.ts";

type Query = ReadonlyMap<string, string>;

/** Throws 400 `invalid_input` with the parameter that is missing or not valid. */
export async function tryBudget({ admin, organization, request }: OrganizationRequest) {
  const query = request.readQuery();
  const trial = { name: readName(query), limitNano: readLimit(query) };
  return tryOrganizationBudget(admin, organization.id, trial);
}

/** Throws 400 `invalid_input` for a bare name that the catalog lacks. */
export async function tryPolicy({ services, admin, organization, request }: OrganizationRequest) {
  const query = request.readQuery();
  const { catalog } = services.offer();
  const modelsOf = (param: string) => {
    const text = query.get(param);
    return text === undefined ? null : readModels(param, text === "" ? [] : text.split(","), catalog);
  };
  const rules = { allowModels: modelsOf("allow_models"), denyModels: modelsOf("deny_models") ?? [] };
  return tryModelRules(admin, organization.id, rules);
}

function readName(query: Query): BudgetName {
  const scope = readOneOf("scope", query, BUDGET_SCOPES);
  if (scope === null) throw invalidInput("scope", `scope is missing; allowed: ${BUDGET_SCOPES.join(", ")}.`);
  const period = readOneOf("period", query, BUDGET_PERIODS) ?? undefined;
  const name = readBudgetName({ scope, id: readText("id", query) ?? undefined, period });
  if ("wrong" in name) throw invalidInput("scope", name.wrong);
  return name;
}

function readLimit(query: Query): bigint {
  const text = query.get("limit");
  const limitNano = text === undefined ? null : readCredits(text);
  if (limitNano !== null) return limitNano;
  const given = text === undefined ? "is missing" : `is ${quote(text)}`;
  throw invalidInput("limit", `limit ${given}; allowed: a number of credits, 0 or more, with at most six decimals.`);
}
