// What an export of an organization's data reads besides the lists of accounts, in pages whose size is bounded in
// bytes.
import type { Actor } from "./audit.ts";
import type { ProviderIdentity } from "./management.ts";

/** A history, or a branch of one: a list of items with positions. */
export interface ExportedHistory {
  readonly id: number;
  readonly conversationId: string | null;
  readonly keyId: string;
  /** Unix seconds. */
  readonly createdAt: number;
  /** Stretches of other histories that stand before its own items, as JSON: `[[history, up to position], …]`. */
  readonly continues: string;
  /** Labels, as JSON; null: it is no conversation. */
  readonly metadata: string | null;
  /** Position of its last item, deleted ones counted; 0: it has none. */
  readonly lastPosition: number;
  /** Whether it is the root of branches. */
  readonly hasBranches: boolean;
}

export interface ExportedItem {
  readonly position: number;
  readonly responseId: string | null;
  /** The item as JSON. */
  readonly body: string;
}

export interface ExportedResponse {
  readonly id: string;
  readonly historyId: number;
  readonly keyId: string;
  readonly memberId: string | null;
  readonly model: string;
  readonly status: string;
  readonly previousResponseId: string | null;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly completedAt: number | null;
  readonly deletedAtMs: number | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly totalTokens: number | null;
  readonly chargedNano: bigint | null;
  /** As in the log of turns; null once it is deleted. */
  readonly endUser: string | null;
  readonly label: string | null;
  /**
   * Request, end and state of the provider, as JSON, in the form in which they are stored; null if there is none, or
   * once it is deleted.
   */
  readonly head: string | null;
  readonly ending: string | null;
  readonly providerState: string | null;
  /** Output that no history lists: of a failed response, or a call that was cut short. Items as JSON. */
  readonly unlisted: readonly string[];
}

/** Where the next page of responses begins. */
export interface ResponseCursor {
  readonly createdAt: number;
  readonly rowId: number;
}

export interface ExportStore {
  /**
   * Histories of an organization that are not deleted, or, of a root, its branches, after the row `after`. `next`
   * continues; null: there are no more.
   */
  exportHistories(query: {
    organizationId: string;
    rootId: number | null;
    after: number;
    limit: number;
  }): Promise<{ readonly histories: readonly ExportedHistory[]; readonly next: number | null }>;
  /** The items of a history after a position that are not deleted, until their sizes exceed `bytes`; at least one. */
  exportItems(query: {
    organizationId: string;
    historyId: number;
    after: number;
    limit: number;
    bytes: number;
  }): Promise<readonly ExportedItem[]>;
  /** All responses of an organization, the oldest first, until their sizes exceed `bytes`; at least one. */
  exportResponses(query: {
    organizationId: string;
    after: ResponseCursor;
    limit: number;
    bytes: number;
  }): Promise<{ readonly responses: readonly ExportedResponse[]; readonly next: ResponseCursor | null }>;
  /** Who the members are at a provider of single sign-on. */
  listIdentities(query: {
    organizationId: string;
  }): Promise<readonly (ProviderIdentity & { readonly memberId: string })[]>;
  /** Logs that an organization's data was exported: the number of lines by type. */
  logExport(exported: { by: Actor; organizationId: string; lines: Readonly<Record<string, number>> }): Promise<void>;
}
