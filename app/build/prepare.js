// Builds the app after `npm ci` in a clone. Never fails the installation: without the app the service works, and its
// start page names the command that builds it.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const app = fileURLToPath(new URL("..", import.meta.url));

if (existsSync(new URL("../../node_modules/vite", import.meta.url))) {
  try {
    const { build } = await import("vite");
    await build({ root: app, logLevel: "warn" });
  } catch (error) {
    console.error("The management app was not built; `npm run build` tries again.", error);
  }
} else {
  console.log("The management app is not built: that takes the packages for development.");
}
