// What the families share where Vertex AI hosts their models: address, project, region, credentials. docs/providers/vertex.md
import { readFileSync } from "node:fs";
import type { AuthClient } from "google-auth-library";
import { isJsonObject, parseJson } from "../../base/json.ts";
import { bearerHeaders, hasHeader, isKeyRejection, pathBelow } from "../endpoint.ts";
import type { Host, HostedEntry, HostFault, HostType, HostServices, HostSettings } from "../host.ts";
import { createGoogleRequests } from "./cloud-requests.ts";
import { readCredentialFile } from "./credential-file.ts";
import { readGoogleReport } from "./google-errors.ts";
import { type AccessToken, keepToken } from "./tokens.ts";

const LIBRARY = "google-auth-library";
const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
/** The variable by which Google's own programs find a file of credentials. */
const FILE_VARIABLE = "GOOGLE_APPLICATION_CREDENTIALS";

/** `global`, a multi-region or a region such as europe-west1. */
const REGION = /^(?:global|us|eu|[a-z]+(?:-[a-z]+)+\d+)$/;
/** An id, one of a domain such as `example.com:project`, or a number. */
const PROJECT = /^(?:(?:[a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]|\d{6,20})$/;

/** How long a token is taken to live if the library does not say: metadata servers give none that lives shorter. */
const TOKEN_MS = 5 * 60_000;

/** The models of one publisher, as a family asks for them. */
export interface VertexPublisher {
  /** `anthropic` or `google`, as in the path. */
  readonly publisher: string;
  /** Of the API, as in the path. */
  readonly version: string;
  /** Sent with every request, as a query. */
  readonly query?: string;
  /** What differs in the requests and errors of this family. */
  readonly changes: Pick<Host, "place" | "errorOfResponse">;
}

/** The host of a family's models. */
export function onVertex(publisher: VertexPublisher): HostType {
  return {
    keys: ["project", "region", "credentials_file", "identity"],
    librariesOf: (entry) => (bringsToken(entry) ? [] : [LIBRARY]),
    findFault: (entry, variables) => findPlaceFault(entry) ?? findCredentialsFault(entry, variables),
    create: (entry, services) => createHost(entry, services, publisher),
  };
}

/** The path of a model below that of its publisher. The names of versions have an `@`, which Google writes as it is. */
export function modelPath(upstreamModel: string, method: string): string {
  return `/${encodeURIComponent(upstreamModel).replaceAll("%40", "@")}:${method}`;
}

function createHost(entry: HostedEntry, services: HostServices, publisher: VertexPublisher): Host {
  const { project, region } = entry.hostSettings;
  const address = new URL(entry.baseUrl ?? addressOf(String(region)));
  const place = `/projects/${project}/locations/${region}`;
  const baseUrl = pathBelow(address, `/${publisher.version}${place}/publishers/${publisher.publisher}/models`);
  baseUrl.search = publisher.query ?? "";
  const check = {
    url: pathBelow(address, `/v1${place}`),
    headers: [],
    rejectsKey: isKeyRejection,
    faultOf: (status: number, body: string) => faultOf(status, body, entry),
  };
  const host = { ...publisher.changes, baseUrl, headers: [], check };
  if (bringsToken(entry)) return host;
  /** The project that pays for the calls of a person's login. */
  let quotaProject: string | undefined;
  const ask = async () => {
    const found = await askGoogle(entry, services);
    ({ quotaProject } = found);
    return found;
  };
  const token = keepToken({ name: `provider "${entry.name}"`, ask, secrets: [] }, services);
  return {
    ...host,
    async authorize() {
      const headers = bearerHeaders(await token.get());
      return quotaProject === undefined ? headers : [...headers, "x-goog-user-project", quotaProject];
    },
    discardCredentials: token.discard,
  };
}

/** What Google says of the region and the project. */
function faultOf(status: number, body: string, { baseUrl, hostSettings }: HostedEntry): string | null {
  const { canonical: word, reason } = readGoogleReport(parseJson(body));
  // A gateway may have no such address.
  if (status === 404 && (baseUrl === null || word === "NOT_FOUND")) return `knows no region ${hostSettings["region"]}`;
  if (reason === "SERVICE_DISABLED") return `says that the Vertex AI API is not enabled in ${hostSettings["project"]}`;
  if (word === "PERMISSION_DENIED")
    return `gives no access to the project ${hostSettings["project"]}, or has none of that id`;
  return null;
}

/** The region in an address of Google's, private endpoints included. */
const REGION_OF_HOST = /^(?:([a-z]+-[a-z]+\d+)-aiplatform\b.*|aiplatform\.(us|eu)\.rep)\.googleapis\.com$/;

/** Multi-regions have a domain of their own. */
function addressOf(region: string): string {
  if (region === "global") return "https://aiplatform.googleapis.com";
  if (region === "us" || region === "eu") return `https://aiplatform.${region}.rep.googleapis.com`;
  return `https://${region}-aiplatform.googleapis.com`;
}

/** A header of the operator's has the token. */
function bringsToken(entry: HostedEntry): boolean {
  return hasHeader(entry, "authorization");
}

function findPlaceFault({ hostSettings, apiKey, baseUrl }: HostedEntry): HostFault | null {
  const { project, region } = hostSettings;
  const at = (key: string, message: string) => ({ path: ["host", key], message });
  if (apiKey !== null) return { path: ["api_key"], message: "is set, but Vertex AI takes tokens; leave it out" };
  if (project === undefined) return { path: ["host"], message: "lacks project, the id of a Google Cloud project" };
  if (!PROJECT.test(project)) return at("project", `is "${project}"; allowed: the id of a Google Cloud project`);
  if (region === undefined) return { path: ["host"], message: "lacks region, such as europe-west1, eu or global" };
  if (!REGION.test(region))
    return at("region", `is "${region}"; allowed: global, us, eu, or a region such as europe-west1`);
  const found = baseUrl === null ? null : REGION_OF_HOST.exec(new URL(baseUrl).hostname);
  const other = found?.[1] ?? found?.[2] ?? region;
  return other === region ? null : at("region", `is ${region}, but base_url is an address in ${other}`);
}

function findCredentialsFault(
  entry: HostedEntry,
  variables: Readonly<Record<string, string | undefined>>,
): HostFault | null {
  const { credentials_file: file, identity } = entry.hostSettings;
  if (bringsToken(entry)) return null;
  if (identity !== undefined && identity !== "default") {
    return { path: ["host", "identity"], message: `is "${identity}"; allowed: default` };
  }
  if (file !== undefined) {
    const fault = faultOfFile(file);
    return fault === null ? null : { path: ["host", "credentials_file"], message: fault };
  }
  const named = variables[FILE_VARIABLE];
  const fault = named ? faultOfFile(named) : null;
  if (fault !== null) return { path: ["host"], message: `needs ${FILE_VARIABLE}, which ${fault}` };
  if (named || identity !== undefined) return null;
  const message = `lacks credentials: set host.credentials_file, ${FILE_VARIABLE}, or host.identity: default for the metadata server or gcloud's login`;
  return { path: ["host"], message };
}

/** What the kinds of files have that the library finds missing only with a turn. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  service_account: ["client_email", "private_key"],
  authorized_user: ["client_id", "client_secret", "refresh_token"],
};

/** Why a name is not that of a file of Google's credentials, as the end of a sentence; null if it is. Neither is repeated. */
function faultOfFile(name: string): string | null {
  const read = readCredentialFile(name);
  if ("fault" in read) return read.fault;
  const content = parseJson(read.text);
  if (!isJsonObject(content) || typeof content.type !== "string")
    return "names a file that is no JSON of Google's credentials";
  const missing = (NEEDED[content.type] ?? []).find((key) => typeof content[key] !== "string");
  return missing === undefined ? null : `names a file of the type ${content.type} without ${missing}`;
}

/** The client of the configured credentials, or of those that the library finds. */
async function clientOf(
  { credentials_file: file, project }: HostSettings,
  { GoogleAuth, JWT, gaxios }: typeof import("google-auth-library"),
  fetch: HostServices["fetch"],
): Promise<AuthClient> {
  const transporterOptions = { fetchImplementation: createGoogleRequests(fetch) };
  // The requests to the metadata server take no options.
  gaxios.instance.defaults = transporterOptions;
  const account = file === undefined ? null : parseJson(readFileSync(file, "utf8"));
  // By its own class: the library writes a warning about the others.
  if (isJsonObject(account) && account.type === "service_account") {
    return new JWT({
      email: String(account.client_email),
      key: String(account.private_key),
      scopes: SCOPE,
      transporterOptions,
    });
  }
  // Without a project the library would look for one, by a command of seconds.
  const known = project === undefined ? {} : { projectId: project };
  const clientOptions = { transporterOptions };
  return new GoogleAuth({
    scopes: SCOPE,
    clientOptions,
    ...known,
    ...(file !== undefined && { keyFilename: file }),
  }).getClient();
}

async function askGoogle(
  { hostSettings }: HostedEntry,
  { loadLibrary, clock, fetch }: HostServices,
): Promise<AccessToken & { readonly quotaProject: string | undefined }> {
  const library = (await loadLibrary(LIBRARY)) as typeof import("google-auth-library");
  const client = await clientOf(hostSettings, library, fetch);
  const { token } = await client.getAccessToken();
  if (!token) throw new Error("Google gave no token");
  return {
    token,
    expiresMs: client.credentials.expiry_date ?? clock.nowMs() + TOKEN_MS,
    quotaProject: client.quotaProjectId,
  };
}
