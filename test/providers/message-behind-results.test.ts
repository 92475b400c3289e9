// A user's message behind tool outputs goes to every family's model with their results, on the wire that its real server
// accepts. @spec endpoints/post-responses (Tool loop); docs/wire.md (Waiting calls)
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { FAMILIES, HOSTS } from "../support/families.ts";
import { TestService } from "../support/service.ts";
import { openProviders } from "../support/provider-registry.ts";
import { callsOf, textsOf, TOOLS } from "./service-on-fake.ts";

const ALL = [...FAMILIES, ...HOSTS];
const started = await Promise.all(ALL.map((family) => family.start()));
const providers = await openProviders(started.map(({ entry }) => entry));
const service = await TestService.start({ providers, models: ALL.map(({ model }) => model) });
after(async () => {
  await service.close();
  await providers.close();
  await Promise.all(started.map((family) => family.close()));
});

for (const [index, { name, model }] of ALL.entries()) {
  for (const stream of [false, true]) {
    test(`${name}${stream ? ", streamed" : ""}: the model reads the message behind the results, then and later`, async () => {
      const input = '/reason Two looks.\n/say Looking.\n/tool look {"at":"a"}\n/tool look {"at":"b"}';
      const first = await service.create({ model: model.id, input, tools: TOOLS });
      assert.equal(first.json.status, "completed", first.text);
      const outputs = callsOf(first).map(({ call_id }) => ({ type: "function_call_output", call_id, output: "seen" }));
      const message = { role: "user", content: "And hurry.\n/history" };
      const body = { model: model.id, previous_response_id: first.json.id, input: [...outputs, message] };
      let next;
      if (stream) {
        const { events } = await service.stream(body);
        next = events.at(-1)?.data.response;
      } else next = (await service.create(body)).json;
      assert.equal(next.status, "completed", JSON.stringify(next));
      const expected = /result \S+: seen\n\d+\. result \S+: seen\n\d+\. user: And hurry\./;
      assert.match(next.output.at(-1).content[0].text, expected);
      const later = await service.create({ model: model.id, previous_response_id: next.id, input: "/history" });
      assert.equal(later.json.status, "completed", later.text);
      assert.match(textsOf(later).join(""), expected);
      assert.deepEqual(
        started[index]?.calls().filter(({ error }) => error !== null),
        [],
      );
    });
  }
}
