// The API reference: /openapi.json, and /docs, which renders it with Swagger UI from its package; the management server has
// that of /v1 beside its own. Nothing is loaded from other sites.
import { installation } from "../../installation/installation.ts";
import { LOGO } from "./logo.ts";
import { type CompleteBody, contentSecurityPolicy } from "./send.ts";

/** A file of the reference. */
export interface ReferencePage {
  readonly path: string;
  readonly contentType: string;
  read(): Promise<Uint8Array>;
}

/** A document of the reference. */
export interface ReferenceDocument {
  /** The interface, as its addresses begin. */
  readonly name: string;
  /** Where the page is. */
  readonly page: `/${string}`;
  /** Where the OpenAPI document is. */
  readonly document: `/${string}`;
  build(): Promise<object>;
}

/** The page of a document, with `links` to the other pages. */
const pageOf = ({ document }: ReferenceDocument, links: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>API reference · Turngate</title>
    <link rel="icon" type="image/svg+xml" href="docs/icon.svg">
    <link rel="stylesheet" href="docs/swagger-ui.css">
    <link rel="stylesheet" href="docs/turngate.css">
  </head>
  <body>
    <header><img src="docs/icon.svg" alt="" width="28" height="28"><strong>Turngate</strong> <span>API reference</span>${links}</header>
    <div id="reference" data-document="${document.slice(1)}"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

/** The ways to the other documents, and back to the app. The app is on the server that has several. */
function linksOf(documents: readonly ReferenceDocument[], current: ReferenceDocument): string {
  if (documents.length === 1) return "";
  const others = documents.map(({ name, page }) =>
    page === current.page ? `<b aria-current="page">${name}</b>` : `<a href="${page.slice(1)}">${name}</a>`,
  );
  return `<nav>${others.join("")}<a href="./">Back to the app</a></nav>`;
}

/** The colours, the logo and the font of the app. */
const STYLE = `body, .swagger-ui, .swagger-ui :is(.info *, .opblock *, .opblock-tag *, label, button, select, input, table *) {
  font-family: "Inter Variable", Inter, system-ui, sans-serif;
}
.swagger-ui :is(code, pre, pre *, .opblock-summary-path *, .parameter__name, .prop-type) {
  font-family: "JetBrains Mono Variable", "JetBrains Mono", ui-monospace, monospace;
}
body { margin: 0; background: #fff; color: #1a1b1f; }
header { position: sticky; top: 0; z-index: 1; display: flex; align-items: center; gap: 0.5rem; height: 3.25rem;
  padding: 0 1rem; white-space: nowrap; background: #f7f8fa; border-bottom: 1px solid #e2e4e9; font-size: 14px; }
header nav { display: flex; gap: 1rem; margin-left: auto; }
header a { color: #3451c6; }
@media (max-width: 30rem) { header:has(nav) > span { display: none; } }
.swagger-ui .info { margin: 1.5rem 0; }
.swagger-ui .info .title { color: #1a1b1f; font-size: 1.5rem; font-weight: 650; }
.swagger-ui .scheme-container { box-shadow: none; border-block: 1px solid #e2e4e9; background: #f7f8fa; }
.swagger-ui .opblock { box-shadow: none; border-radius: 8px; }
.swagger-ui .btn.authorize { border-color: #3451c6; color: #3451c6; }
.swagger-ui .btn.authorize svg { fill: #3451c6; }
.swagger-ui .btn.execute { border-color: #3451c6; background: #3451c6; }
html.dark-mode :is(body, .swagger-ui) { background: #141519; color: #e3e4e8; }
html.dark-mode header { background: #191a1f; border-color: #2e3038; }
html.dark-mode header a { color: #a5b8ff; }
html.dark-mode .swagger-ui .info .title { color: #e3e4e8; }
html.dark-mode .swagger-ui .scheme-container { border-color: #2e3038; background: #191a1f; box-shadow: none; }
html.dark-mode .swagger-ui .scheme-container .btn.authorize { border-color: #a5b8ff; color: #a5b8ff; }
html.dark-mode .swagger-ui .scheme-container .btn.authorize svg { fill: #a5b8ff; color: #a5b8ff; }
`;

/** A separate file, so that the policy below can forbid inline scripts. */
const START_SCRIPT = `// The colours that were chosen in the app, or those of the system.
const chosen = localStorage.getItem("mantine-color-scheme-value");
const isDark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
document.documentElement.classList.toggle("dark-mode", isDark);
SwaggerUIBundle({
  url: document.getElementById("reference").dataset.document,
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
 * The pages of the reference. A document is built, and a file of the package read, by the first request for it, so that
 * it delays no start. All later requests share the bytes: no key is needed to request them.
 */
export function referencePages(documents: readonly ReferenceDocument[]): readonly ReferencePage[] {
  return [
    ...documents.flatMap((one) => [
      {
        path: one.document,
        contentType: "application/json; charset=utf-8",
        read: once(async () => Buffer.from(JSON.stringify(await one.build()))),
      },
      fromText(one.page, "text/html; charset=utf-8", pageOf(one, linksOf(documents, one))),
    ]),
    fromText("/docs/turngate.css", "text/css; charset=utf-8", STYLE),
    fromText("/docs/icon.svg", "image/svg+xml", LOGO),
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
