// A request whose maker is known and may make it.
import type { Organization } from "../../ports/accounts.ts";
import type { Desk } from "../accounts/desk.ts";
import type { Visitor } from "./visitor.ts";
import type { ManageRequest, ManageWorld } from "./world.ts";

export interface Visit {
  readonly world: ManageWorld;
  readonly request: ManageRequest;
  readonly visitor: Visitor;
  /** What changes are made with, in the visitor's name. */
  readonly desk: Desk;
}

/** One about the organization that its path names. */
export interface OrganizationVisit extends Visit {
  readonly organization: Organization;
}

/** The answer: a JSON object, and what becomes of the session's cookie. */
export interface ManageReply {
  readonly body: object;
  readonly cookie?: { readonly kind: "set"; readonly secret: string } | { readonly kind: "clear" };
}
