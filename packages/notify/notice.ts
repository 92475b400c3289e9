// An event as it is sent: what each kind of target gets.
import { createHmac } from "node:crypto";
import type { NotifyTarget } from "./notify-file.ts";

/** An event of the feed, as the management interface shows it. */
export interface NoticeEvent {
  readonly id: number;
  readonly organization: string | null;
  readonly organization_name: string | null;
  /** Unix seconds. */
  readonly at: number;
  readonly type: string;
  readonly message: string;
}

/** Whether a target wants an event. */
export function wants({ events, organizations }: NotifyTarget, event: NoticeEvent): boolean {
  if (organizations !== null && (event.organization === null || !organizations.includes(event.organization)))
    return false;
  if (events === null) return true;
  return events.some((each) => (each.endsWith("*") ? event.type.startsWith(each.slice(0, -1)) : each === event.type));
}

/** The id of a notice: the same in every attempt, so that a receiver can tell a repetition. */
export function noticeId({ id }: NoticeEvent): string {
  return `evt_${id}`;
}

/** A signed request in the form of standardwebhooks.com: type, time and the whole event. */
export function signedRequest(event: NoticeEvent, secret: string, nowSeconds: number) {
  const body = JSON.stringify({ type: event.type, timestamp: new Date(event.at * 1000).toISOString(), data: event });
  const id = noticeId(event);
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${nowSeconds}.${body}`).digest("base64");
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(nowSeconds),
    "webhook-signature": `v1,${signature}`,
  };
  return { body, headers };
}

/** A message in Slack's form. Its three characters of markup are escaped; nothing in it becomes a link or a mention. */
export function slackRequest(event: NoticeEvent) {
  const text = plainText(event).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return { body: JSON.stringify({ text }), headers: { "content-type": "application/json" } };
}

/** Subject and text of a mail. */
export function mailText(event: NoticeEvent): { subject: string; text: string } {
  const { type, message, organization_name: organization, at } = event;
  const time = new Date(at * 1000).toISOString();
  const of = organization === null ? "" : ` (${organization})`;
  // A header has one line.
  const subject = `Turngate: ${type}${of}`.replaceAll(/\s+/g, " ").slice(0, 200);
  return { subject, text: `${message}\n\n${type}${of}, ${time}, ${noticeId(event)}\n` };
}

function plainText({ message, organization_name: organization }: NoticeEvent): string {
  return organization === null || message.includes(organization) ? message : `${organization}: ${message}`;
}
