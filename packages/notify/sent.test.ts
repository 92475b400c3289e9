// turngate notify against a real management interface, receivers of HTTP and a mail server.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { createServer as createNetServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { NotifyTarget } from "./notify-file.ts";
import { startDelivering } from "./deliver.ts";
import { createFeed } from "./feed.ts";
import { createSend } from "./send.ts";
import { openState } from "./state.ts";
import { createSystemClock } from "../../src/system/clock.ts";
import { TESTS } from "../../test/support/actor.ts";
import { managedForFile } from "../../test/manage/managed-service.ts";

const managed = await managedForFile();

const KEY = Buffer.alloc(32, 9);
const SECRET = `whsec_${KEY.toString("base64")}`;
const EVENT = { id: 3, organization: null, organization_name: null, at: 5, type: "notice.test", message: "It works." };

async function listen(t: TestContext, server: Server): Promise<number> {
  t.after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

interface Posted {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver that answers with this status; resolves with the requests when there are so many. */
async function receive(t: TestContext, { status = 204, count = 1, location = "" } = {}) {
  const posted: Posted[] = [];
  const { promise: all, resolve } = Promise.withResolvers<readonly Posted[]>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      posted.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(status, location === "" ? {} : { location }).end();
      if (posted.length >= count) resolve(posted);
    });
  });
  return { url: `http://127.0.0.1:${await listen(t, server)}/hook`, posted, all };
}

const targetTo = (to: NotifyTarget["to"]): NotifyTarget => ({ name: "a", to, events: null, organizations: null });

test("changes of an organization reach the target of its token, signed and in order", async (t) => {
  const organizationId = await managed.newOrganization();
  const token = await managed.newProgram(organizationId, "admin");
  assert.ok("token" in token);
  const { url, all } = await receive(t, { count: 2 });
  const folder = mkdtempSync(join(tmpdir(), "turngate-notify-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const feed = createFeed({ manageUrl: managed.baseUrl, token: token.token });
  const state = openState(join(folder, "state.json"));
  await managed.store.updateOrganization({ by: TESTS, organizationId, paymentMethod: true });
  state.set("a", { after: await feed.newestId(), failingSinceMs: null });
  const stop = startDelivering(
    {
      feed,
      state,
      send: createSend(() => 1_700_000_000),
      clock: createSystemClock(),
      logDelivery: () => {},
      warn: (message) => assert.fail(message),
      everyMs: 20,
      giveUpAfterMs: 1000,
    },
    targetTo({ type: "http", url, secret: SECRET }),
  );
  // Another organization's changes are not the token's.
  await managed.newOrganization();
  await managed.store.updateOrganization({ by: TESTS, organizationId, plan: true });
  await managed.store.updateOrganization({ by: TESTS, organizationId, suspended: true });
  const posted = await all;
  await stop();
  for (const { headers, body } of posted) {
    const signed = `${String(headers["webhook-id"])}.1700000000.${body}`;
    assert.equal(headers["webhook-signature"], `v1,${createHmac("sha256", KEY).update(signed).digest("base64")}`);
  }
  const events = posted.map(
    ({ body }) => JSON.parse(body) as { type: string; data: { organization: string; data: object } },
  );
  assert.deepEqual(
    events.map(({ type, data }) => [type, data.organization, data.data]),
    [
      ["plan.start", organizationId, { plan: true }],
      ["organization.suspend", organizationId, { suspended: true }],
    ],
  );
});

test("a token that is not valid, or of a member, is a reason that says so", async () => {
  const manageUrl = managed.baseUrl;
  await assert.rejects(
    createFeed({ manageUrl, token: "adm_no" }).newestId(),
    /replies with 401: the token is not valid/,
  );
  const member = await managed.newProgram(await managed.newOrganization(), "member");
  assert.ok("token" in member);
  await assert.rejects(
    createFeed({ manageUrl, token: member.token }).newestId(),
    /replies with 403: the token needs the role/,
  );
});

test("an error status and a redirect are failures; a redirect is not followed", async (t) => {
  const send = createSend(() => 1);
  const elsewhere = await receive(t);
  const broken = await receive(t, { status: 500 });
  const moved = await receive(t, { status: 307, location: elsewhere.url });
  await assert.rejects(send(targetTo({ type: "slack", url: broken.url }), EVENT), /^Error: status 500$/);
  await assert.rejects(send(targetTo({ type: "slack", url: moved.url }), EVENT), /^Error: status 307$/);
  assert.equal(elsewhere.posted.length, 0);
  await assert.rejects(send(targetTo({ type: "slack", url: "http://127.0.0.1:1/secret" }), EVENT), (error: Error) => {
    assert.doesNotMatch(error.message, /secret|127/);
    return true;
  });
  await send(targetTo({ type: "slack", url: elsewhere.url }), EVENT);
  assert.deepEqual(JSON.parse(elsewhere.posted[0]?.body ?? ""), { text: "It works." });
});

/** A mail server for one mail: its replies by the client's command. */
async function receiveMail(t: TestContext, replyToRecipient = "250 ok") {
  const { promise: mail, resolve } = Promise.withResolvers<string>();
  const server = createNetServer((socket) => {
    let text = "";
    let isData = false;
    socket.write("220 mail.test\r\n");
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      text += chunk.toString();
      if (isData) {
        if (!text.endsWith("\r\n.\r\n")) return;
        resolve(text);
        isData = false;
        text = "";
        socket.write("250 stored\r\n");
        return;
      }
      for (let end = text.indexOf("\r\n"); end >= 0; end = text.indexOf("\r\n")) {
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        if (line === "DATA") {
          isData = true;
          socket.write("354 go on\r\n");
        } else if (line === "QUIT") socket.end("221 bye\r\n");
        else socket.write(`${line.startsWith("RCPT") ? replyToRecipient : "250 ok"}\r\n`);
      }
    });
  });
  return { server: `smtp://127.0.0.1:${await listen(t, server)}`, mail };
}

test("a mail has the sentence, and the same id in every attempt", async (t) => {
  const { server, mail } = await receiveMail(t);
  const send = createSend(() => 1);
  const to = { type: "mail", server, from: "turngate@a.test", recipients: ["ada@a.test"] } as const;
  await send(targetTo(to), EVENT);
  const text = await mail;
  assert.match(text, /^Message-ID: <evt_3@a\.test>\r$/m);
  assert.match(text, /^Subject: Turngate: notice\.test\r$/m);
  assert.match(text, /\r\n\r\nIt works\.\r\n/);
});

test("a mail that the server rejects is a failure with its code alone", async (t) => {
  const { server } = await receiveMail(t, "550 no such user ada@a.test");
  const to = { type: "mail", server, from: "turngate@a.test", recipients: ["ada@a.test"] } as const;
  await assert.rejects(createSend(() => 1)(targetTo(to), EVENT), /^Error: mail server: 550$/);
});
