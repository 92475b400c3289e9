// Days, months and times in a time zone. Days are `YYYY-MM-DD`, months `YYYY-MM`, times `YYYY-MM-DDTHH:MMZ`.

import { LOCALE } from "./locale.ts";

const DAY_MS = 86_400_000;

/** The zone of the person. */
export const ownZone = (): string => new Intl.DateTimeFormat(LOCALE).resolvedOptions().timeZone;

/** Whether the browser knows a zone by this name. */
export function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** The day in a zone, so many days before today. */
export function dayIn(zone: string, daysAgo = 0, now = Date.now()): string {
  return addDays(new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" }).format(now), -daysAgo);
}

/** The first day of this month in a zone. */
export function monthStartIn(zone: string, now = Date.now()): string {
  return `${monthOf(dayIn(zone, 0, now))}-01`;
}

/** A day of the calendar that is so many days later. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Both days and all between them. */
export function daysBetween(from: string, to: string): string[] {
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => addDays(from, index));
}

export const monthOf = (day: string): string => day.slice(0, "YYYY-MM".length);

/** A time of whole minutes, of Unix seconds. */
export function timeOf(unixSeconds: number): string {
  return `${new Date(unixSeconds * 1000).toISOString().slice(0, "YYYY-MM-DDTHH:MM".length)}Z`;
}

/** The first minute of a day of the person's zone: a time without a zone is one of it. */
export const localStartOf = (day: string): string => timeOf(Date.parse(`${day}T00:00`) / 1000);

/** Unix seconds of a time. */
export const secondsOf = (time: string): number => Date.parse(time) / 1000;

/** A time of a URL; a day is that of UTC: its begin, or with `isEnd` its end. */
export function readTime(value: unknown, isEnd = false): string | undefined {
  if (typeof value !== "string") return undefined;
  const day = readDay(value);
  if (day !== null) return `${isEnd ? addDays(day, 1) : day}T00:00Z`;
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}Z$/.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;
}

/** A day of a URL. */
export function readDay(value: unknown): string | null {
  const isDay = typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value));
  return isDay ? value : null;
}

/** A time as an input for local times takes it. */
export function localInputOf(time: string): string {
  const date = new Date(time);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, "YYYY-MM-DDTHH:MM".length);
}

/** The time that was entered as a local one; undefined for none. */
export function timeOfLocalInput(value: string): string | undefined {
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : timeOf(ms / 1000);
}
