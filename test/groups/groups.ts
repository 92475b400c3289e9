/** Test files that run together, a process for each group (CONTRIBUTING.md, "Files that share a process"), by its name. */
export const GROUPS = {
  "browser-1": ["test/browser/[a-j]*.test.ts"],
  "browser-2": ["test/browser/[k-r]*.test.ts"],
  "browser-3": ["test/browser/[s-z]*.test.ts"],
  // The other files mostly wait for services that they start: one after the other they would be the last to end.
  cli: ["test/cli/[a-q]*.test.ts"],
  clients: ["test/clients/**/*.test.ts"],
  "http-create": ["test/http/create-response/*.test.ts"],
  "http-others": ["test/http/*.test.ts", "test/http/!(create-response)/*.test.ts"],
  laws: ["test/laws/*.test.ts"],
  manage: ["test/manage/*.test.ts"],
  packages: ["packages/**/*.test.ts"],
  // All but two: Azure's library keeps for its process the first place that it has asked for a token.
  providers: ["test/providers/!(credential-requests|rejected-credentials).test.ts", "test/providers/*/**/*.test.ts"],
  repository: ["test/{architecture,deploy,mutation,release}/**/*.test.ts"],
  sources: ["src/**/*.test.ts", "app/src/**/*.test.ts", "bench/scale/*.test.ts"],
  // All but sqlite-plans.test.ts, which looks at every statement of its process.
  store: ["test/store/sqlite?(-!(plans)).test.ts", "test/store/response-size.test.ts"],
} as const satisfies Readonly<Record<string, readonly string[]>>;
