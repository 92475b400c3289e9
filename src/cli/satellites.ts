// The satellites: clients of the published interfaces that come with the program and are loaded when they are asked for. No
// other module of src/ imports one.
import type { Command } from "commander";
import { addImport } from "../../packages/litellm/command.ts";
import { addNotify } from "../../packages/notify/command.ts";
import { EVENT_TYPES } from "../contract/manage/event-types.ts";

/** Adds `config import` to the group `config`. */
export const addLitellmImport = addImport;

export function addNotices(program: Command): void {
  addNotify(program, EVENT_TYPES);
}
