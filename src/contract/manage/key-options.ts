// Permissions of API keys and of management tokens, and what a new key has. @spec authentication
import type { UnansweredCalls } from "../requests.ts";

export const KEY_PERMISSIONS = ["all", "read", "none"] as const;
export type KeyPermission = (typeof KEY_PERMISSIONS)[number];

/** What a new key has unless it is given something else. It has no limits either. */
export const NEW_KEY: { readonly permissions: KeyPermission; readonly unanswered_calls: UnansweredCalls } = {
  permissions: "all",
  unanswered_calls: "refuse",
};

export const TOKEN_PERMISSIONS = ["all", "read"] as const;
export type TokenPermission = (typeof TOKEN_PERMISSIONS)[number];
