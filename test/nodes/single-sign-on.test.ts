// Single sign-on over several nodes: a balancer may send each request to another.
import assert from "node:assert/strict";
import { test } from "node:test";
import { TESTS } from "../support/actor.ts";
import { request } from "../support/http-client.ts";
import { singleSignOnAt, startOpenIdProvider } from "../support/openid-provider.ts";
import { withCluster } from "./cluster.ts";

test("a sign-in that one node begins is finished by another, and its session is good on a third", async () => {
  const provider = await startOpenIdProvider();
  const singleSignOn = singleSignOnAt(provider, { rules: [{ role: "owner", group: "acme", organization: "Acme" }] });
  // The address that people reach: the nodes listen on others.
  const manageUrl = "http://manage.test";
  provider.register(manageUrl);
  provider.people.set("ada", { email: "ada@acme.test", email_verified: true, groups: ["acme"] });
  try {
    await withCluster({ manageUrl, singleSignOn }, async ({ nodes }) => {
      await nodes[0].store.createOrganization({ by: TESTS, id: "org_acme", name: "Acme", createdAt: 1 });
      const [a, b, c] = await Promise.all(nodes.map((node) => node.listenToManagement()));
      assert.ok(a !== undefined && b !== undefined && c !== undefined);
      const begun = await request(a, "POST", "/manage/api/single-sign-on");
      assert.equal(begun.status, 200, begun.text);
      const query = await provider.visit(begun.json.url, "ada");
      const cookie = begun.headers["set-cookie"]?.split(";")[0] ?? "";
      const finished = await request(b, "POST", "/manage/api/single-sign-on/finish", {
        body: { query },
        headers: { cookie },
      });
      assert.equal(finished.status, 200, finished.text);
      const session = /turngate_session=[^;]+/.exec(finished.headers["set-cookie"] ?? "")?.[0] ?? "";
      const shown = await request(c, "GET", "/manage/api/session", { headers: { cookie: session } });
      assert.deepEqual([shown.json.member.email, shown.json.role], ["ada@acme.test", "owner"]);
    });
  } finally {
    await provider.close();
  }
});
