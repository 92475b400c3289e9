import assert from "node:assert/strict";
import { test } from "node:test";
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { previousOf } from "./queries.ts";

test("a query shows what it had while it reads for other times, and nothing of another organization", async () => {
  const client = new QueryClient();
  const of = (organizationId: string, to: number) => ({
    queryKey: ["turn summary", organizationId, { to }],
    queryFn: async () => `${organizationId} ${to}`,
    placeholderData: previousOf(organizationId),
  });
  const observer = new QueryObserver(client, of("org_1", 60));
  const read = () =>
    new Promise<void>((resolve) => {
      const stop = observer.subscribe(({ isSuccess, isPlaceholderData }) => {
        if (!isSuccess || isPlaceholderData) return;
        stop();
        resolve();
      });
    });
  await read();
  observer.setOptions(of("org_1", 120));
  assert.equal(observer.getCurrentResult().data, "org_1 60");
  await read();
  assert.equal(observer.getCurrentResult().data, "org_1 120");
  observer.setOptions(of("org_2", 120));
  assert.equal(observer.getCurrentResult().data, undefined);
  client.clear();
});
