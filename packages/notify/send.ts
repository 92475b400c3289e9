// Sends a notice to a target, once. Addresses come from the operator's file alone; redirects are not followed.
import type { NotifyTarget } from "./notify-file.ts";
import { mailText, type NoticeEvent, noticeId, signedRequest, slackRequest } from "./notice.ts";

const TIMEOUT_MS = 10_000;

/** Sends an event; rejects with a reason that a log may show. */
export type Send = (target: NotifyTarget, event: NoticeEvent) => Promise<void>;

/** Creates the sending of notices; `nowSeconds` gives the time of a signature. */
export function createSend(nowSeconds: () => number): Send {
  return async ({ to }, event) => {
    if (to.type === "mail") return sendMail(to, event);
    return post(to.url, to.type === "http" ? signedRequest(event, to.secret, nowSeconds()) : slackRequest(event));
  };
}

async function post(url: string, { body, headers }: { body: string; headers: Record<string, string> }): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, { method: "POST", body, headers, redirect: "manual", signal }).catch(
    (error: unknown) => {
      throw new Error(describe(error), { cause: error });
    },
  );
  // The body of the response is not read.
  await response.body?.cancel();
  if (!response.ok) throw new Error(`status ${response.status}`);
}

async function sendMail(
  { server, from, recipients }: Extract<NotifyTarget["to"], { type: "mail" }>,
  event: NoticeEvent,
): Promise<void> {
  const { createTransport } = await import("nodemailer");
  const transport = createTransport({
    url: server,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // The same id in every attempt: mail programs show a repetition once.
  const domain = from.slice(from.lastIndexOf("@") + 1).replace(/[^\w.-]/g, "");
  const messageId = `<${noticeId(event)}@${domain}>`;
  try {
    await transport.sendMail({ from, to: [...recipients], messageId, ...mailText(event) });
  } catch (error) {
    throw new Error(describe(error), { cause: error });
  } finally {
    transport.close();
  }
}

/** The code of an error, without addresses and server texts, which may contain secrets. */
function describe(error: unknown): string {
  for (let each = error; each instanceof Error; each = each.cause) {
    if ("responseCode" in each && typeof each.responseCode === "number") return `mail server: ${each.responseCode}`;
    if ("code" in each && typeof each.code === "string") return each.code;
    if (each.name === "TimeoutError") return "timeout";
  }
  return "connection failed";
}
