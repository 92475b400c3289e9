// The pictures of docs/app.md, taken by `npm run screenshots`: one of each screen, and those of some of their states.

export interface Picture {
  /** The file's name in docs/app, without its ending. */
  readonly name: string;
  /** The path of the screen's route in app/src/router.tsx; null: a state of a screen that has a picture already. */
  readonly route: string | null;
}

export const PICTURES = [
  { name: "sign-in", route: "/sign-in" },
  { name: "overview", route: "/overview" },
  { name: "keys", route: "/keys" },
  { name: "usage", route: "/usage" },
  { name: "turns", route: "/turns" },
  { name: "turn", route: "/turns/$responseId" },
  { name: "errors", route: "/errors" },
  { name: "budgets", route: "/budgets" },
  { name: "members", route: "/members" },
  { name: "policy", route: "/policy" },
  { name: "playground", route: "/playground" },
  { name: "models", route: "/models" },
  { name: "events", route: "/events" },
  { name: "audit", route: "/audit" },
  { name: "organizations", route: "/organizations" },
  { name: "service", route: "/service" },
  { name: "usage-of-all", route: "/service/usage" },
  { name: "events-of-all", route: "/service/events" },
  { name: "audit-of-all", route: "/service/audit" },
  { name: "account", route: "/account" },
  { name: "key", route: "/key" },
  { name: "overview-new", route: null },
  { name: "overview-member", route: null },
  { name: "turn-failed", route: null },
  { name: "search", route: null },
  { name: "key-created", route: null },
  { name: "set-budget", route: null },
  { name: "playground-two", route: null },
] as const satisfies readonly Picture[];

export type PictureName = (typeof PICTURES)[number]["name"];

/** A picture's size in docs/app, bytes. */
export const PICTURE_BYTES_MAX = 60 * 1024;
