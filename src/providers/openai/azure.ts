// GPT on Azure: the Responses API of a resource, `POST {resource}/openai/v1/responses`. docs/providers/azure.md
//
// The wire is OpenAI's. `model` is the name of a deployment, which is the upstream model. The v1 API has no dated `api-version`.
import type { TokenCredential } from "@azure/identity";
import { bearerHeaders, findUselessIdentity, hasHeader, isKeyRejection, pathBelow } from "../endpoint.ts";
import type { HostedEntry, HostFault, HostType, HostServices } from "../host.ts";
import { createAzureRequests } from "../wire/cloud-requests.ts";
import { readCredentialFile } from "../wire/credential-file.ts";
import { type AccessToken, keepToken } from "../wire/tokens.ts";

const LIBRARY = "@azure/identity";
const BASE_PATH = "/openai/v1";
/** What a token is for, unless `scope` says otherwise, as in the clouds of governments. */
const SCOPE = "https://ai.azure.com/.default";

/** The variable that names the token of a pod. */
const TOKEN_FILE = "AZURE_FEDERATED_TOKEN_FILE";

/** How an identity of Entra proves itself, by `host.identity`. `default`: whatever the library finds first. */
const IDENTITIES = ["workload", "managed", "default"];

export const AZURE: HostType = {
  keys: ["identity", "tenant_id", "client_id", "client_secret", "scope"],

  librariesOf: (entry) => (usesEntra(entry) ? [LIBRARY] : []),

  findFault(entry, variables) {
    return findAddressFault(entry) ?? findIdentityFault(entry, variables);
  },

  create(entry, services) {
    const baseUrl = addressOf(String(entry.baseUrl));
    const headers = entry.apiKey === null ? [] : ["api-key", entry.apiKey];
    const check = { url: pathBelow(baseUrl, "/models"), headers, rejectsKey: isKeyRejection, faultOf };
    if (!usesEntra(entry)) return { baseUrl, headers, check };
    const token = keepToken(
      {
        name: `provider "${entry.name}"`,
        ask: () => askEntra(entry, services),
        secrets: [entry.hostSettings["client_secret"] ?? ""],
      },
      services,
    );
    return {
      baseUrl,
      headers,
      check,
      authorize: async () => bearerHeaders(await token.get()),
      discardCredentials: token.discard,
    };
  },
};

/** Neither a key nor a header of the operator's has the credentials. */
function usesEntra(entry: HostedEntry): boolean {
  return entry.apiKey === null && !hasHeader(entry, "authorization", "api-key");
}

/** What Azure says of an identity that it knows. */
function faultOf(_status: number, body: string): string | null {
  return /lacks the required data action/i.test(body)
    ? "says that the identity lacks the role Cognitive Services OpenAI User"
    : null;
}

/** The base URL of the v1 API, for the address that the portal shows, or for one that names the API too. */
function addressOf(baseUrl: string): URL {
  const url = new URL(baseUrl);
  const path = url.pathname.replace(/\/+$/, "");
  if (path === "" || path === "/openai") url.pathname = BASE_PATH;
  return url;
}

function findAddressFault({ baseUrl }: HostedEntry): HostFault | null {
  const path = ["base_url"];
  const url = baseUrl === null ? null : URL.parse(baseUrl);
  if (url === null) return { path: [], message: "lacks base_url, such as https://NAME.openai.azure.com" };
  if (url.pathname.includes("/deployments/")) {
    return { path, message: "names a deployment, which is the upstream_model of a model here; end it before /openai" };
  }
  const version = url.searchParams.get("api-version");
  if (version !== null && /\d{4}/.test(version)) {
    return { path, message: "has a dated api-version, which the v1 API does not take; leave it out" };
  }
  return null;
}

function findIdentityFault(
  entry: HostedEntry,
  variables: Readonly<Record<string, string | undefined>>,
): HostFault | null {
  const { hostSettings } = entry;
  const path = ["host"];
  if (!usesEntra(entry)) return findUselessIdentity(entry, ["identity", "client_secret"]);
  if (hostSettings["client_secret"] !== undefined) {
    const [missing] = ["tenant_id", "client_id"].filter((key) => hostSettings[key] === undefined);
    return missing === undefined ? null : { path, message: `has client_secret and lacks ${missing}` };
  }
  const { identity } = hostSettings;
  if (identity === undefined) {
    return { path, message: `lacks credentials: set api_key, host.client_secret or host.identity` };
  }
  if (!IDENTITIES.includes(identity)) {
    return { path: ["host", "identity"], message: `is "${identity}"; allowed: ${IDENTITIES.join(", ")}` };
  }
  if (identity !== "workload") return null;
  const needed = { [TOKEN_FILE]: null, AZURE_CLIENT_ID: "client_id", AZURE_TENANT_ID: "tenant_id" };
  const [missing] = Object.entries(needed).filter(
    ([variable, key]) => !variables[variable] && (key === null || hostSettings[key] === undefined),
  );
  if (missing === undefined) {
    const read = readCredentialFile(String(variables[TOKEN_FILE]));
    return "fault" in read ? { path: ["host", "identity"], message: `needs ${TOKEN_FILE}, which ${read.fault}` } : null;
  }
  const [variable, key] = missing;
  const message = `needs the environment variable ${variable}${key === null ? "" : ` or host.${key}`}`;
  return { path: ["host", "identity"], message };
}

async function askEntra(entry: HostedEntry, services: HostServices): Promise<AccessToken> {
  const credential = await credentialOf(entry, services);
  const token = await credential.getToken(entry.hostSettings["scope"] ?? SCOPE);
  if (token === null) throw new Error("Entra gave no token");
  return { token: token.token, expiresMs: token.expiresOnTimestamp };
}

async function credentialOf(
  { hostSettings }: HostedEntry,
  { loadLibrary, fetch }: HostServices,
): Promise<TokenCredential> {
  const { ClientSecretCredential, DefaultAzureCredential, ManagedIdentityCredential, WorkloadIdentityCredential } =
    (await loadLibrary(LIBRARY)) as typeof import("@azure/identity");
  const { tenant_id: tenantId, client_id: clientId, client_secret: secret, identity } = hostSettings;
  const httpClient = createAzureRequests(fetch);
  if (secret !== undefined)
    return new ClientSecretCredential(String(tenantId), String(clientId), secret, { httpClient });
  const named = { ...(tenantId !== undefined && { tenantId }), ...(clientId !== undefined && { clientId }) };
  if (identity === "workload") return new WorkloadIdentityCredential({ httpClient, ...named });
  if (identity === "managed") {
    return new ManagedIdentityCredential({ httpClient, ...(clientId !== undefined && { clientId }) });
  }
  return new DefaultAzureCredential({
    httpClient,
    ...(tenantId !== undefined && { tenantId }),
    ...(clientId !== undefined && { managedIdentityClientId: clientId, workloadIdentityClientId: clientId }),
  });
}
