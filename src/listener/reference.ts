// The interface's description for machines, /openapi.json, and for people, /docs: Swagger UI out of its package, nothing from
// elsewhere.
import { readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";

/** A page of the reference: its path and how its bytes are found. */
export interface ReferencePage {
  readonly path: string;
  readonly contentType: string;
  read(): Promise<Uint8Array>;
}

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Turngate: interface</title>
    <link rel="stylesheet" href="docs/swagger-ui.css">
  </head>
  <body>
    <div id="reference"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

/** A file of its own, so that the page needs no inline script and the policy below can forbid them. */
const START_SCRIPT = `SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
`;

const SCRIPT_FILE = import.meta.resolve("swagger-ui-dist/swagger-ui-bundle.js");
const STYLE_FILE = import.meta.resolve("swagger-ui-dist/swagger-ui.css");

/** Swagger UI styles its elements in place and draws its icons from data URLs; everything else comes from this server. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The pages of the reference; the document is built when it is first asked for, since a start must not wait for it. Files of the package are read when they are asked for: hardly ever, and they are large. */
export function referencePages(buildOpenApi: () => object): readonly ReferencePage[] {
  let document: Uint8Array | null = null;
  return [
    {
      path: "/openapi.json",
      contentType: "application/json; charset=utf-8",
      read: async () => (document ??= Buffer.from(JSON.stringify(buildOpenApi()))),
    },
    fromText("/docs", "text/html; charset=utf-8", PAGE),
    fromText("/docs/start.js", "text/javascript; charset=utf-8", START_SCRIPT),
    fromFile("/docs/swagger-ui-bundle.js", "text/javascript; charset=utf-8", SCRIPT_FILE),
    fromFile("/docs/swagger-ui.css", "text/css; charset=utf-8", STYLE_FILE),
  ];
}

/** Sends a page of the reference. */
export async function sendPage(response: ServerResponse, requestId: string, page: ReferencePage): Promise<void> {
  const bytes = await page.read();
  response.writeHead(200, [
    "content-type",
    page.contentType,
    "content-length",
    String(bytes.length),
    "content-security-policy",
    CONTENT_SECURITY_POLICY,
    "x-content-type-options",
    "nosniff",
    "x-request-id",
    requestId,
  ]);
  response.end(bytes);
}

function fromText(path: string, contentType: string, text: string): ReferencePage {
  const bytes = Buffer.from(text);
  return { path, contentType, read: async () => bytes };
}

function fromFile(path: string, contentType: string, url: string): ReferencePage {
  return { path, contentType, read: () => readFile(fileURLToPath(url)) };
}
