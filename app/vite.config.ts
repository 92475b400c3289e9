// The build of the management app. `npm run build` writes app/dist, which the management server serves.
import { defineConfig } from "vite";
import { precompress } from "./build/precompress.ts";

/** A running service for `npx vite app`, which serves the sources. */
const SERVICE = process.env["TURNGATE_MANAGE_URL"] ?? "http://127.0.0.1:8081";

export default defineConfig({
  plugins: [precompress()],
  build: {
    target: "es2023",
    // The policy of the page forbids data URLs and inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    emptyOutDir: true,
    rolldownOptions: {
      // The logo comes from the service, beside its API reference.
      external: ["/docs/icon.svg"],
      checks: { pluginTimings: false },
      // Mantine marks its files for frameworks that render on a server.
      onLog: (level, log, handle) => (log.code === "MODULE_LEVEL_DIRECTIVE" ? undefined : handle(level, log)),
    },
  },
  server: {
    proxy: Object.fromEntries(["/manage/api", "/v1", "/docs", "/openapi"].map((path) => [path, SERVICE])),
  },
});
