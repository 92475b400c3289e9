// turngate rejections …: why requests were rejected.
import type { Command } from "commander";
import { OperatorError } from "../../config/operator-error.ts";
import { AUDIT_PAGE_DEFAULT, AUDIT_PAGE_MAX } from "../../contract/manage/limits.ts";
import { explainRejection, presentRejection } from "../../flows/accounts/present-rejections.ts";
import { limitOption, ORGANIZATION, type OrganizationOptions, wholeNumber } from "./options.ts";
import { printList, printRecord } from "./output.ts";
import { withOrganization } from "./with-store.ts";

export function addRejections(program: Command): void {
  const rejections = program.command("rejections").description("requests that got an error response, and why");
  rejections
    .command("list")
    .description("list rejected requests, newest first")
    .requiredOption(...ORGANIZATION)
    .addOption(limitOption("requests", AUDIT_PAGE_MAX, AUDIT_PAGE_DEFAULT))
    .option("--before <id>", "only those before this one", wholeNumber(1))
    .action(list);
  rejections
    .command("show")
    .description("say why a request was rejected, and what would let it through")
    .argument("<request>", "its id, the x-request-id of its response")
    .requiredOption(...ORGANIZATION)
    .action(show);
}

async function list(options: OrganizationOptions & { readonly limit: number; readonly before?: number }) {
  const rejections = await withOrganization(options.org, ({ store }, { id: organizationId }) =>
    store.listRejections({ organizationId, memberId: null, before: options.before ?? null, limit: options.limit }),
  );
  printList(rejections.map(presentRejection), options, "No rejected request is kept.");
}

async function show(requestId: string, options: OrganizationOptions) {
  const shown = await withOrganization(options.org, async ({ store, config }, organization) => {
    const of = { organizationId: organization.id, memberId: null, requestId };
    const rejection = await store.findRejection(of);
    if (rejection === null)
      throw new OperatorError(`no rejected request ${requestId} is kept; \`rejections list\` shows those that are.`);
    const standing = await store.readKeyStanding({ caller: { ...of, keyId: rejection.keyId } });
    return explainRejection(rejection, { organization, standing, limits: config.limits });
  });
  const budgets = shown.now.budgets.map(
    ({ scope, period, left, limit }) => `${scope} ${period}: ${left} of ${limit} left`,
  );
  printRecord(options.json ? shown : { ...shown, now: { ...shown.now, budgets } }, options);
}
