// Conversations of numbered items, and the pages of their lists.
import type { Loose } from "../../support/http-client.ts";
import type { TestService } from "../../support/service.ts";

export const user = (text: string) => ({ role: "user", content: text });

/** The texts of a page. */
export const texts = (page: Loose): string[] => page.data.map(({ content }: Loose) => content[0].text);

export function itemsOf(service: TestService) {
  return {
    list: (id: string, query = "") => service.request("GET", `/v1/conversations/${id}/items${query}`),
    /** A conversation that holds so many items, named by their number. */
    async filled(count: number): Promise<string> {
      const { json } = await service.request("POST", "/v1/conversations");
      for (let from = 0; from < count; from += 20) {
        const items = Array.from({ length: Math.min(20, count - from) }, (_, index) => user(`${from + index}`));
        await service.request("POST", `/v1/conversations/${json.id}/items`, { body: { items } });
      }
      return json.id;
    },
  };
}
