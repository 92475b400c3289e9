// The site of the documents (../build.ts).
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { packageManifest } from "../../release/manifest.ts";
import { LOGO } from "../../src/server/shared/logo.ts";
import { cloneFileOf, listPages, readSidebar, unlistedPages } from "../pages.ts";
import { slugOf } from "../slug.ts";

const pages = listPages();
/** The logo of the management app, small enough to stand in each page. */
const icon = `data:image/svg+xml,${encodeURIComponent(LOGO)}`;
const unlisted = unlistedPages();
if (unlisted.length > 0) throw new Error(`the table of docs/README.md does not lead to ${unlisted.join(", ")}`);
const srcDir = fileURLToPath(new URL("../.pages", import.meta.url));
/** The address of the repository; null for a clone of a folder of this machine. */
const repository = packageManifest().repository?.url.replaceAll(/^git\+|\.git$/g, "") ?? null;

/** Links to files that are no pages lead to the repository; where it has no address they are text. */
function linkFiles(markdown) {
  markdown.core.ruler.push("clone-files", ({ tokens, env }) => {
    const page = relative(srcDir, env.realPath ?? env.path);
    for (const { children } of tokens) {
      const isText = [];
      for (const token of children ?? []) {
        if (token.type === "link_close") {
          if (isText.pop()) token.tag = "span";
        } else if (token.type === "link_open") {
          const href = token.attrGet("href") ?? "";
          const file = cloneFileOf(page, href, pages);
          isText.push(file !== null && repository === null);
          // The name of the page on the site (`rewrites`).
          if (href.endsWith("/README.md")) token.attrSet("href", href.replace(/README\.md$/, "index.md"));
          if (file === null) continue;
          if (repository !== null) token.attrSet("href", `${repository}/blob/HEAD/${file}`);
          else Object.assign(token, { type: "span_open", tag: "span", attrs: [] });
        }
      }
    }
  });
}

export default {
  title: "Turngate",
  description: "A self-hosted gateway in the style of the Responses API, in front of several model providers.",
  srcDir,
  outDir: fileURLToPath(new URL("../dist", import.meta.url)),
  cacheDir: fileURLToPath(new URL("../node_modules/.cache/vitepress", import.meta.url)),
  rewrites: { "docs/README.md": "docs/index.md", "docs/decisions/README.md": "docs/decisions/index.md" },
  markdown: { anchor: { slugify: slugOf }, headers: { slugify: slugOf }, config: linkFiles },
  head: [["link", { rel: "icon", type: "image/svg+xml", href: icon }]],
  themeConfig: {
    logo: icon,
    nav: [
      { text: "Quick start", link: "/docs/quick-start" },
      { text: "Interface", link: "/docs/interface" },
      { text: "Configuration", link: "/docs/configuration" },
      { text: "Changes", link: "/CHANGELOG" },
    ],
    sidebar: readSidebar(),
    outline: [2, 3],
    search: { provider: "local" },
    ...(repository === null ? {} : { socialLinks: [{ icon: "github", link: repository }] }),
  },
};
