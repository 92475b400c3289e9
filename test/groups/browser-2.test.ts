import { withSharedBrowser } from "../browser/browser.ts";
import { runTogether } from "./run-together.ts";

await withSharedBrowser(() => runTogether("browser-2"));
