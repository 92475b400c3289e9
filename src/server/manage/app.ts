// Serves the management app: the files that `npm run build` puts into app/dist, each compressed in advance.
import type { IncomingMessage } from "node:http";
import { extname } from "node:path";
import { notFound } from "../../contract/errors.ts";
import type { InstalledFolder } from "../../installation/folder.ts";
import { type CompleteBody, contentSecurityPolicy } from "../shared/send.ts";
import type { RoutedRequest } from "../shared/http-server.ts";

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** Of every file. No inline scripts and no inline styles. */
const HEADERS = [
  "vary",
  "accept-encoding",
  ...contentSecurityPolicy(),
  "referrer-policy",
  "no-referrer",
  "cross-origin-opener-policy",
  "same-origin",
];

const NOT_BUILT = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Turngate</title></head>
  <body>
    <h1>The management app is not built</h1>
    <p>Run <code>npm run build</code> in the folder of the clone, then reload this page.</p>
    <p>The service itself runs, and so does the management interface: see <a href="/docs">its reference</a>.</p>
  </body>
</html>
`;

/** A file in each coding that the build wrote. */
interface AppFile {
  readonly contentType: string;
  readonly plain: Uint8Array;
  readonly br: Uint8Array;
  readonly gzip: Uint8Array;
}

/** The built app. */
export interface App {
  /** The page, which shows the screen of the URL; 503 with the missing command if the app is not built. */
  page(request: IncomingMessage): Promise<CompleteBody>;
  /** A script, style, picture or font by its name, which changes with its content. Throws the uniform 404 if there is none of it. */
  asset(request: IncomingMessage, name: string): Promise<CompleteBody>;
}

/**
 * The app in that folder. Its files are read by the first request, so that the start does not wait for them, and again by
 * the next one while they cannot be read or are not built.
 */
export function openApp(folder: InstalledFolder): App {
  let files: ReadonlyMap<string, AppFile> | null = null;
  const load = async () => (files ??= await readFiles(folder));
  return {
    async page(request) {
      const page = (await load())?.get("index.html");
      if (page === undefined) return bodyOf(request, plainFile(NOT_BUILT), 503, "no-store");
      return bodyOf(request, page, 200, "no-cache");
    },
    async asset(request, name) {
      const file = (await load())?.get(`assets/${name}`);
      if (file === undefined) throw notFound();
      return bodyOf(request, file, 200, "public, max-age=31536000, immutable");
    },
  };
}

/** Whether a request is a browser's for a page: an unknown path of it is one of the app's screens. */
export function wantsPage({ request }: Pick<RoutedRequest, "request">): boolean {
  const isRead = request.method === "GET" || request.method === "HEAD";
  return isRead && (request.headers.accept ?? "").includes("text/html");
}

/** All files by their path below the folder; null if it has no page. A request can name no other file. */
async function readFiles(folder: InstalledFolder): Promise<ReadonlyMap<string, AppFile> | null> {
  try {
    const assets = folder.list("assets").filter((name) => extname(name) in CONTENT_TYPES);
    const paths = ["index.html", ...assets.map((name) => `assets/${name}`)];
    return new Map(await Promise.all(paths.map(async (path) => [path, await readAppFile(folder, path)] as const)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

async function readAppFile(folder: InstalledFolder, path: string): Promise<AppFile> {
  const [plain, br, gzip] = await Promise.all(["", ".br", ".gz"].map((suffix) => folder.read(path + suffix)));
  if (plain === undefined || br === undefined || gzip === undefined) throw new Error(`${path} was not read`);
  return { contentType: CONTENT_TYPES[extname(path)] ?? "", plain, br, gzip };
}

function plainFile(text: string): Pick<AppFile, "contentType" | "plain"> {
  return { contentType: "text/html; charset=utf-8", plain: Buffer.from(text) };
}

/** The reply with a file, in the best coding that the client accepts. */
function bodyOf(
  request: IncomingMessage,
  file: Pick<AppFile, "contentType" | "plain"> & Partial<AppFile>,
  status: number,
  cacheControl: string,
): CompleteBody {
  const accepted = request.headers["accept-encoding"];
  const coding = (["br", "gzip"] as const).find((name) => file[name] !== undefined && accepts(accepted, name));
  const encoding = coding === undefined ? [] : ["content-encoding", coding];
  const body = (coding === undefined ? undefined : file[coding]) ?? file.plain;
  const headers = [...encoding, "cache-control", cacheControl, ...HEADERS];
  return { status, contentType: file.contentType, body, headers };
}

/** Whether an Accept-Encoding header names a coding, and not with the weight 0. */
function accepts(header: string | string[] | undefined, coding: string): boolean {
  return String(header ?? "")
    .toLowerCase()
    .split(",")
    .map((part) => part.replaceAll(/\s/g, "").split(";"))
    .some(([name, weight]) => name === coding && !/^q=0(?:\.0*)?$/.test(weight ?? ""));
}
