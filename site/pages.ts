// The pages of the site: the Markdown files of docs/ and those beside the README. The table of docs/README.md is the sidebar, so a page has
// one place where readers of the clone and of the site find it.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";

/** The clone's folder. */
export const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** The table of all pages. */
const INDEX = "docs/README.md";
/** Pages outside docs/. */
const TOP_PAGES = ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];

export interface SidebarItem {
  readonly text: string;
  readonly link: string;
  readonly collapsed?: boolean;
  readonly items?: readonly SidebarItem[];
}

export interface SidebarGroup {
  readonly text: string;
  readonly items: readonly SidebarItem[];
}

/** The files of all pages, relative to the clone, with slashes. */
export function listPages(): string[] {
  return [...TOP_PAGES, ...listDocuments().filter((path) => path.endsWith(".md"))].sort();
}

/** The pictures that pages show. */
export function listPictures(): string[] {
  return listDocuments().filter((path) => /\.(?:png|webp|svg|jpg)$/.test(path));
}

function listDocuments(): string[] {
  return readdirSync(join(ROOT, "docs"), { recursive: true }).map((path) =>
    posix.join("docs", String(path).replaceAll("\\", "/")),
  );
}

/** The sidebar: a group for each row of the table of all pages. Below a folder's README stand the other pages of that folder. */
export function readSidebar(index = readText(INDEX), pages = listPages()): SidebarGroup[] {
  const linked = readRows(index).map(({ audience, links }) => ({
    audience,
    links: links.filter((link) => pages.includes(link)),
  }));
  const named = new Set(linked.flatMap(({ links }) => links));
  const below = (page: string) =>
    pages.filter((each) => posix.basename(page) === "README.md" && dirname(each) === dirname(page) && !named.has(each));
  const itemOf = (page: string): SidebarItem => ({ text: titleOf(page), link: linkOf(page) });
  return linked.map(({ audience, links }) => ({
    text: audience.charAt(0).toUpperCase() + audience.slice(1),
    items: links.map((page) => {
      const items = below(page).map(itemOf);
      return items.length === 0 ? itemOf(page) : { ...itemOf(page), collapsed: true, items };
    }),
  }));
}

/** Pages that no row of that table leads to. */
export function unlistedPages(sidebar = readSidebar(), pages = listPages()): string[] {
  const listed = new Set(
    sidebar
      .flatMap(({ items }) => items)
      .flatMap((item) => [item, ...(item.items ?? [])])
      .map(({ link }) => link),
  );
  return pages.filter((page) => page !== INDEX && !listed.has(linkOf(page)));
}

/** The first heading of a page. */
function titleOf(page: string): string {
  return /^# (.+)$/m.exec(readText(page))?.[1] ?? page;
}

/** Where a page stands on the site. */
function linkOf(page: string): string {
  return `/${page.replace(/(?:README)?\.md$/, "")}`;
}

function readRows(index: string): { readonly audience: string; readonly links: readonly string[] }[] {
  const [, table = ""] = /^\|.*\|\n\|[-|]+\|\n((?:\|.*\n)+)/m.exec(index) ?? [];
  return table
    .trimEnd()
    .split("\n")
    .map((row) => ({
      audience: row.split("|")[1]?.trim() ?? "",
      links: Array.from(row.matchAll(/\]\(([^)#]+)\)/g), ([, link = ""]) => posix.join(dirname(INDEX), link)),
    }));
}

function readText(page: string): string {
  return readFileSync(join(ROOT, page), "utf8");
}

/**
 * Where a link of a page leads that is no page of the site but a file or folder of the clone, such as `src/config/config.ts`; null for every
 * other link, a dead one included, which the build reports.
 */
export function cloneFileOf(page: string, href: string, pages = listPages()): string | null {
  if (/^(?:[a-z]+:|#|\/)/i.test(href)) return null;
  const path = posix.normalize(posix.join(posix.dirname(page), href.replace(/#.*$/, ""))).replace(/\/$/, "");
  return pages.includes(path) || path.startsWith("..") || !existsSync(join(ROOT, path)) ? null : path;
}
