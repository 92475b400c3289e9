// Reads the feed of events over the management interface.
import { hideCredentials } from "../kit/addresses.ts";
import type { NoticeEvent } from "./notice.ts";

const TIMEOUT_MS = 30_000;
const PAGE = 100;

export interface FeedPage {
  readonly data: readonly NoticeEvent[];
  readonly has_more: boolean;
}

export interface Feed {
  /** The events after an id, oldest first. Rejects with a reason that a log may show. */
  readAfter(id: number): Promise<FeedPage>;
  /** The id of the newest event; 0: there is none. */
  newestId(): Promise<number>;
}

/** Creates the feed of a token: its organization's events, or with an operator's token those of all. */
export function createFeed({ manageUrl, token }: { readonly manageUrl: string; readonly token: string }): Feed {
  const place = `the management interface ${hideCredentials(manageUrl)}`;
  const ask = async <Body>(path: string): Promise<Body> => {
    const headers = { authorization: `Bearer ${token}` };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(`${manageUrl}/manage/api${path}`, { headers, signal, redirect: "manual" }).catch(
      (error: unknown) => {
        throw new Error(`${place} cannot be reached`, { cause: error });
      },
    );
    if (response.ok) return (await response.json()) as Body;
    await response.body?.cancel();
    throw new Error(`${place} replies with ${response.status}${HINTS[response.status] ?? ""}`);
  };
  let found: Promise<string> | null = null;
  const findPath = async (): Promise<string> => {
    const { organization } = await ask<{ organization: { id: string } | null }>("/session");
    return organization === null ? "/events" : `/organizations/${organization.id}/events`;
  };
  const path = (): Promise<string> => {
    found ??= findPath().catch((error: unknown) => {
      found = null;
      throw error;
    });
    return found;
  };
  return {
    readAfter: async (id) => ask<FeedPage>(`${await path()}?after=${id}&limit=${PAGE}`),
    newestId: async () => (await ask<FeedPage>(`${await path()}?limit=1`)).data[0]?.id ?? 0,
  };
}

const HINTS: Readonly<Record<number, string>> = {
  401: ": the token is not valid",
  403: ": the token needs the role operator, owner or admin",
};
