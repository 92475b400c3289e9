// Further states of the screens, for a look at them: dialogs, menus, empty lists, the tabs of the service. The pictures of
// docs/app.md have none of them.
import type { Page } from "playwright-core";

export interface Look {
  readonly name: string;
  readonly path: string;
  /** Opens what is looked at. */
  readonly open?: (page: Page) => Promise<unknown>;
  /** The only width that has it; otherwise every one. */
  readonly width?: number;
}

const PHONE = 390;
const LAPTOP = 1440;

const press = (name: string | RegExp) => (page: Page) => page.getByRole("button", { name }).first().click();

/** Chooses an action of a row. */
const act = (subject: string, action: string) => async (page: Page) => {
  await page.getByRole("button", { name: `Actions of ${subject}` }).click();
  await page.getByRole("menuitem", { name: new RegExp(`^${action}`) }).click();
};

/** What an owner sees of an organization, whose paths begin with `of`. */
export const ownerLooks = (of: string): readonly Look[] => [
  { name: "menu", path: `${of}/overview`, open: press("Menu"), width: PHONE },
  { name: "person", path: `${of}/overview`, open: press(/^Signed in as/), width: LAPTOP },
  { name: "filter-sheet", path: `${of}/turns?key=none`, open: press(/^Filters/), width: PHONE },
  { name: "filter-time", path: `${of}/turns?model=openai/gpt-6.1-terra`, open: press(/^Time/), width: LAPTOP },
  { name: "filter-add", path: `${of}/turns`, open: press("Add filter"), width: LAPTOP },
  { name: "columns", path: `${of}/turns`, open: press("Columns of Responses"), width: LAPTOP },
  { name: "turns-empty", path: `${of}/turns?model=none` },
  { name: "turns-grouped", path: `${of}/turns?by=key` },
  { name: "usage-empty", path: `${of}/usage?model=none` },
  { name: "usage-two-groups", path: `${of}/usage?by=model&and=key&every=month&metric=output_tokens` },
  { name: "errors-plain", path: `${of}/errors` },
  { name: "errors-unknown", path: `${of}/errors?request=req_${"0".repeat(32)}` },
  { name: "errors-empty", path: `${of}/errors?code=request_timeout` },
  { name: "key-create", path: `${of}/keys`, open: createKey },
  { name: "key-menu", path: `${of}/keys`, open: press("Actions of chat backend"), width: LAPTOP },
  { name: "key-limits", path: `${of}/keys`, open: act("chat backend", "Limits") },
  { name: "key-rotate", path: `${of}/keys`, open: act("chat backend", "Rotate") },
  { name: "key-revoke", path: `${of}/keys`, open: act("chat backend", "Revoke") },
  { name: "member-add", path: `${of}/members`, open: press("Add a member") },
  { name: "member-sessions", path: `${of}/members`, open: act("ada@acme.example", "Sessions") },
  { name: "member-link", path: `${of}/members`, open: act("grace@acme.example", "Sign-in link") },
  { name: "token-create", path: `${of}/members`, open: press("Create a token") },
  { name: "policy-tried", path: `${of}/policy`, open: tryPolicy },
  { name: "audit-change", path: `${of}/audit`, open: press(/^deny models/), width: LAPTOP },
  { name: "key-form", path: "/key" },
  { name: "no-screen", path: "/nothing" },
  { name: "turn-unknown", path: `${of}/turns/resp_${"0".repeat(32)}` },
];

/** What somebody with a key sees in the playground. */
export const keyLooks: readonly Look[] = [
  { name: "playground-empty", path: "/playground" },
  {
    name: "playground-conversation",
    path: "/playground",
    open: (page) => page.getByRole("tab", { name: "Conversation" }).click(),
  },
  { name: "ask-for-more", path: "/key", open: press(/^Ask for more/) },
];

export const memberLooks = (of: string): readonly Look[] =>
  ["keys", "members", "errors", "usage"].map((screen) => ({ name: `member-${screen}`, path: `${of}/${screen}` }));

export const operatorLooks = (of: string): readonly Look[] => [
  ...["providers", "nodes", "access", "integrity", "configuration"].map((tab) => ({
    name: `service-${tab}`,
    path: `/service?tab=${tab}`,
  })),
  { name: "providers-checked", path: "/service?tab=providers", open: press("Check the providers") },
  { name: "switch", path: "/organizations", open: press("All organizations"), width: LAPTOP },
  { name: "organization-create", path: "/organizations", open: press("Create an organization") },
  { name: "operator-policy", path: `${of}/policy` },
  { name: "operator-budgets", path: `${of}/budgets` },
];

async function createKey(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Create a key" }).click();
  await page.getByText("More", { exact: true }).click();
}

async function tryPolicy(page: Page): Promise<void> {
  await page.getByRole("checkbox", { name: "openai/gpt-6.1-terra" }).check();
  await page.getByRole("button", { name: "Try it on last month" }).click();
  await page.getByText(/^It would have rejected/).waitFor();
}
