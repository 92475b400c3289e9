// The playground as tests use it.
import type { Locator, Page } from "playwright-core";
import { open } from "./stage.ts";

/** Opens the playground with a key and a model. */
export async function useKey(page: Page, key: string, model: string): Promise<void> {
  await open(page, "Playground");
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Use the key" }).click();
  await page.getByLabel("Model").selectOption(model);
}

/** A response with its message, by its number in the chat. */
export const responseOf = (within: Page | Locator, id: number): Locator =>
  within.getByRole("article", { name: `Response ${id}`, exact: true });

/** Sends a message by the button; waits for nothing. */
export async function sendMessage(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message").fill(text);
  await page.getByRole("button", { name: "Send", exact: true }).click();
}
