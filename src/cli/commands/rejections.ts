// turngate rejections …: why requests were rejected.
import type { Command } from "commander";
import { OperatorError } from "../../config/operator-error.ts";
import { AUDIT_PAGE_DEFAULT, AUDIT_PAGE_MAX } from "../../contract/manage/limits.ts";
import { explainRejection } from "../../flows/accounts/present-rejections.ts";
import { listRejections } from "../../flows/manage/rejections.ts";
import { limitOption, ORGANIZATION, type OrganizationOptions, wholeNumber } from "./options.ts";
import { linesOf, prints, printsList } from "./output.ts";
import { OPERATOR, queryOf } from "./queries.ts";
import { withOrganization } from "./with-store.ts";

export function addRejections(program: Command): void {
  const rejections = program.command("rejections").description("requests that got an error response, and why");
  rejections
    .command("list")
    .description("list rejected requests, newest first")
    .requiredOption(...ORGANIZATION)
    .addOption(limitOption("requests", AUDIT_PAGE_MAX, AUDIT_PAGE_DEFAULT))
    .option("--before <id>", "only those before this one", wholeNumber(1))
    .action(printsList("No rejected request is kept.", list));
  rejections
    .command("show")
    .description("say why a request was rejected, and what would let it through")
    .argument("<request>", "its id, the x-request-id of its response")
    .requiredOption(...ORGANIZATION)
    .action(prints(show, describe));
}

async function list(options: OrganizationOptions) {
  const { data } = await withOrganization(options.org, (services, organization) =>
    listRejections({ services, organization, principal: OPERATOR }, queryOf("listRejections", options)),
  );
  return data;
}

function show(requestId: string, { org }: OrganizationOptions) {
  return withOrganization(org, async ({ store, config }, organization) => {
    const of = { organizationId: organization.id, memberId: null, requestId };
    const rejection = await store.findRejection(of);
    if (rejection === null)
      throw new OperatorError(`no rejected request ${requestId} is kept; \`rejections list\` shows those that are.`);
    const standing = await store.readKeyStanding({ caller: { ...of, keyId: rejection.keyId } });
    return explainRejection(rejection, { organization, standing, limits: config.limits });
  });
}

function describe(shown: Awaited<ReturnType<typeof show>>): string {
  const budgets = shown.now.budgets.map(
    ({ scope, period, left, limit }) => `${scope} ${period}: ${left} of ${limit} left`,
  );
  return linesOf({ ...shown, now: { ...shown.now, budgets } });
}
