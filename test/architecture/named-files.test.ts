// Every file that a document or a comment names exists: a renamed file takes its mentions along.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "../..");
const FOLDERS = ["app/src", "app/build", "bench", "bin", "deploy", "docs", "packages", "release", "src", "test"];
const FILES = [
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true }).map((path) => join(folder, String(path))),
  ),
  ...readdirSync(ROOT),
].filter((path) => !path.includes("node_modules"));
const KNOWN = new Set(FILES);

/** Pages about names of the past; the specification, which is not ours; the lines of past releases. */
const EXEMPT = ["docs/decisions/house.md", "docs/decisions/newcomer.md", "docs/interface.md", "CHANGELOG.md"];
/** Files of an example. */
const EXAMPLES = ["test/http/retrieve-usage/200.test.ts", "retrieve-usage.ts"];

/** Whether a path, or the end of one, is a file; documents leave out the beginnings `src/` and `test/`. */
function exists(path: string): boolean {
  return KNOWN.has(path) || FILES.some((file) => file.endsWith(`/${path}`));
}

/** The files that a text names by a path with a slash, such as `core/response/plan.ts`. */
function namedFiles(text: string): string[] {
  return [...text.matchAll(/(?<![\w/.<>*{},-])(?:[\w.-]+\/)+[\w.-]+\.(?:ts|md|sql)(?![\w/])/g)].map(([path]) => path);
}

/** The modules that a comment names without a folder, such as `plan.ts`. */
function bareNames(text: string): string[] {
  return [...text.matchAll(/(?<![\w/.<>*{}-])[a-z][\w-]*(?:\.test)?\.ts(?![\w/])/g)].map(([name]) => name);
}

/** The comments of a module. */
function commentsOf(text: string): string {
  return (text.match(/^\s*(?:\/\/|\/?\*).*$/gm) ?? []).join("\n");
}

function missingIn(file: string, text: string): string[] {
  const missing = namedFiles(text)
    .filter((path) => !path.startsWith("."))
    .filter((path) => !exists(path) && !EXAMPLES.some((example) => path.endsWith(example)));
  const links = [...text.matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)].map(([, target]) => target ?? "");
  const broken = links.filter((target) => {
    const path = normalize(join(dirname(file), target)).replace(/\/$/, "");
    return !KNOWN.has(path) && !FILES.some((each) => each.startsWith(`${path}/`));
  });
  return [...missing, ...broken].map((path) => `${file}: ${path}`);
}

test("every file named in a document exists, and so does the target of every link", () => {
  const documents = FILES.filter((file) => file.endsWith(".md") && !EXEMPT.includes(file));
  assert.ok(documents.length > 30);
  assert.deepEqual(
    documents.flatMap((file) => missingIn(file, readFileSync(join(ROOT, file), "utf8"))),
    [],
  );
});

test("every file named in a comment exists", () => {
  const modules = FILES.filter((file) => /^(?:packages|src|test|bench)\/.*\.ts$/.test(file));
  assert.deepEqual(
    modules.flatMap((file) => {
      const comments = commentsOf(readFileSync(join(ROOT, file), "utf8"));
      return [...missingIn(file, comments), ...bareNames(comments).filter((name) => !exists(name))];
    }),
    [],
  );
});

test("a missing file and a broken link are found", () => {
  assert.deepEqual(missingIn("docs/page.md", "see `core/response/ladder.ts` and [money](moneys.md#holds)"), [
    "docs/page.md: core/response/ladder.ts",
    "docs/page.md: moneys.md",
  ]);
  assert.deepEqual(missingIn("docs/page.md", "see `core/response/plan.ts` and [money](money.md#what-is-charged)"), []);
  assert.deepEqual(bareNames("sends one (host.ts), see core/plan.ts"), ["host.ts"]);
});
