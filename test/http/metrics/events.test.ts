// The metric of the feed of events: what it counts, how often it asks the store, and what it does without one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EVENT_TYPES } from "../../../src/contract/manage/event-types.ts";
import { type Store, StoreError } from "../../../src/ports/store/store.ts";
import { PRICED_MODELS, Purse } from "../../support/money.ts";
import { USAGE } from "../../support/scripted-provider.ts";
import { type TestService, withService } from "../../support/service.ts";
import type { ServiceSettings } from "../../support/service-config.ts";
import { until } from "../../support/until.ts";
import { parseExposition } from "./exposition.ts";

/** Longer than a count is shown, milliseconds. */
const LATER_MS = 5001;

/** The number of events by type, as a page shows it. */
function eventsOn(page: string): ReadonlyMap<string | undefined, number> {
  const samples = parseExposition(page).get("turngate_events_last_hour")?.samples ?? assert.fail("no such metric");
  return new Map(samples.map(({ labels, value }) => [labels["type"], value]));
}

async function read(service: TestService) {
  return eventsOn(await service.metricsPage.render());
}

/** Settings of a service whose store counts events in another way. */
function counting(count: (store: Store) => Store["countEvents"]): ServiceSettings {
  return { wrapStore: (store) => ({ ...store, countEvents: count(store) }) };
}

test("events are on the page of metrics over HTTP, with every type", async () => {
  await withService({ models: PRICED_MODELS }, async (service) => {
    const url = `${await service.listenToManagement()}/metrics`;
    const scrape = async () => eventsOn(await (await fetch(url)).text());
    const before = await scrape();
    assert.deepEqual(new Set(before.keys()), new Set(EVENT_TYPES));
    assert.deepEqual([before.get("key.create"), before.get("budget.reached"), before.get("credits.low")], [1, 0, 0]);
    const purse = await Purse.open(service, 110, [[{ scope: "organization", id: null, period: "day" }, 110]]);
    const text = "x".repeat(3600);
    service.provider.plays([
      [
        { type: "text", text },
        { type: "usage", usage: { ...USAGE, output_tokens: 899, total_tokens: USAGE.input_tokens + 899 } },
        { type: "finished", incompleteReason: null },
      ],
    ]);
    assert.equal((await purse.create({ input: "Hi" })).json.status, "completed");
    await service.clock.advance(LATER_MS);
    const after = await scrape();
    assert.deepEqual([after.get("key.create"), after.get("budget.reached"), after.get("credits.low")], [2, 1, 1]);
  });
});

test("however often the page is scraped, the store is asked every five seconds", async () => {
  let asked = 0;
  const counted = counting((store) => (query) => {
    asked++;
    return store.countEvents(query);
  });
  await withService(counted, async (service) => {
    const pages = await Promise.all([read(service), read(service), read(service)]);
    for (const page of [...pages, await read(service)]) assert.equal(page.get("key.create"), 1);
    assert.equal(asked, 1);
    await service.newKey();
    await service.clock.advance(LATER_MS);
    assert.equal((await read(service)).get("key.create"), 2);
    assert.equal(asked, 2);
  });
});

test("a store that is out of reach leaves the metric out, until it is back", async () => {
  let isThere = true;
  const failing = counting((store) => async (query) => {
    if (!isThere) throw new StoreError("unavailable", "out of reach");
    return store.countEvents(query);
  });
  await withService(failing, async (service) => {
    assert.equal((await read(service)).get("key.create"), 1);
    for (const [there, types] of [
      [false, 0],
      [true, EVENT_TYPES.length],
    ] as const) {
      isThere = there;
      // oxlint-disable no-await-in-loop -- one after the other
      await service.clock.advance(LATER_MS);
      const page = await service.metricsPage.render();
      // oxlint-enable no-await-in-loop
      assert.equal(eventsOn(page).size, types);
      assert.match(page, /^turngate_turns_running 0$/m);
    }
  });
});

test("a store that does not answer delays the page by a second, and is asked once", async () => {
  let asked = 0;
  const silence = Promise.withResolvers<void>();
  const silent = counting((store) => async (query) => {
    asked++;
    await silence.promise;
    return store.countEvents(query);
  });
  await withService(silent, async (service) => {
    for (let scrape = 0; scrape < 2; scrape++) {
      const timers = service.clock.pending;
      const reading = read(service);
      // oxlint-disable no-await-in-loop -- one after the other
      await until("the wait for the store", () => service.clock.pending > timers);
      await service.clock.advance(1000);
      assert.equal((await reading).size, 0);
      await service.clock.advance(LATER_MS);
      // oxlint-enable no-await-in-loop
    }
    assert.equal(asked, 1);
    silence.resolve();
    await until("the count", async () => (await read(service)).get("key.create") === 1);
    assert.equal(asked, 1);
  });
});
