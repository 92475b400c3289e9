// The API reference: /openapi.json, and /docs, which renders it with Swagger UI from its package. Nothing is loaded
// from other sites.
import { installation } from "../../installation/installation.ts";
import { type CompleteBody, contentSecurityPolicy } from "./send.ts";

/** A file of the reference. */
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

/** A separate file, so that the policy below can forbid inline scripts. */
const START_SCRIPT = `SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
`;

/** Swagger UI uses inline styles and data URLs for icons. */
const POLICY = contentSecurityPolicy({ styles: "'self' 'unsafe-inline'", images: "'self' data:" });

/**
 * The pages of the reference. The document is built, and a file of the package read, by the first request for it, so that
 * it delays no start. All later requests share the bytes: no key is needed to request them.
 */
export function referencePages(buildOpenApi: () => Promise<object>): readonly ReferencePage[] {
  return [
    {
      path: "/openapi.json",
      contentType: "application/json; charset=utf-8",
      read: once(async () => Buffer.from(JSON.stringify(await buildOpenApi()))),
    },
    fromText("/docs", "text/html; charset=utf-8", PAGE),
    fromText("/docs/start.js", "text/javascript; charset=utf-8", START_SCRIPT),
    fromPackage("swagger-ui-bundle.js", "text/javascript; charset=utf-8"),
    fromPackage("swagger-ui.css", "text/css; charset=utf-8"),
  ];
}

/** The reply with a page. Rejects when its file cannot be read. */
export async function pageBody(page: ReferencePage): Promise<CompleteBody> {
  return { status: 200, contentType: page.contentType, body: await page.read(), headers: POLICY };
}

function fromText(path: string, contentType: string, text: string): ReferencePage {
  const bytes = Buffer.from(text);
  return { path, contentType, read: async () => bytes };
}

function fromPackage(name: string, contentType: string): ReferencePage {
  return { path: `/docs/${name}`, contentType, read: once(() => installation.reference.read(name)) };
}

/** Reads once, also for requests that arrive meanwhile; again after a failure. */
function once(read: ReferencePage["read"]): ReferencePage["read"] {
  let bytes: Promise<Uint8Array> | null = null;
  return () =>
    (bytes ??= read().catch((error: unknown) => {
      bytes = null;
      throw error;
    }));
}
