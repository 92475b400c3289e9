// The links of the built site that lead nowhere. VitePress looks for dead links too, but not behind a page that is renamed on the site.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** Each link within the site, below `base`, whose page, or whose heading on it, does not exist: `PAGE: LINK`. */
export function findDeadLinks(folder: string, base = "/"): readonly string[] {
  const pages = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".html"));
  const texts = new Map(pages.map((page) => [page, readFileSync(join(folder, page), "utf8")]));
  return pages.flatMap((page) =>
    Array.from((texts.get(page) ?? "").matchAll(/<a [^>]*?href="([^"]+)"/g), ([, href = ""]) => href)
      .filter((href) => !/^[a-z]+:/.test(href) && !isAlive(page, href))
      .map((href) => `${page}: ${href}`),
  );

  function isAlive(page: string, href: string): boolean {
    const [path = "", heading] = href.split("#");
    const from = path.startsWith(base) ? path.slice(base.length) : posix.join(posix.dirname(page), path);
    const target =
      path === "" ? page : [from, `${from}.html`, posix.join(from, "index.html")].find((each) => isFile(each));
    if (target === undefined) return false;
    return heading === undefined || (texts.get(target) ?? "").includes(` id="${decodeURIComponent(heading)}"`);
  }
  function isFile(path: string): boolean {
    return texts.has(path) || (!path.endsWith("/") && /\.\w+$/.test(path) && existsSync(join(folder, path)));
  }
}
