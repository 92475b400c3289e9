// How long a session lasts. docs/management.md (People)
import { HOUR_MS } from "../../base/time.ts";
import { SESSION_ABSOLUTE_HOURS, SESSION_IDLE_HOURS } from "../../contract/manage/limits.ts";
import type { SessionLifetime } from "../../ports/store/management.ts";

/** The lifetime of every session, since its last use and since its start. */
export const SESSION_LIFETIME: SessionLifetime = {
  idleMs: SESSION_IDLE_HOURS * HOUR_MS,
  absoluteMs: SESSION_ABSOLUTE_HOURS * HOUR_MS,
};
