// Credentials of AWS, and the signatures of requests that they make (Signature Version 4), by AWS's own libraries.
import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Host, HostedEntry, HostFault, HostServices, HostSettings } from "../host.ts";
import { createAwsRequests } from "./cloud-requests.ts";
import { readCredentialFile } from "./credential-file.ts";
import { keepToken } from "./tokens.ts";

type SignatureLibrary = typeof import("@smithy/signature-v4");
type CredentialLibrary = typeof import("@aws-sdk/credential-providers");
type AskForCredentials = ReturnType<CredentialLibrary["fromEnv"]>;

const SIGNATURES = "@smithy/signature-v4";
const CREDENTIALS = "@aws-sdk/credential-providers";
/** The packages that a provider with an identity of AWS needs. */
export const SIGNING_LIBRARIES: readonly string[] = [CREDENTIALS, SIGNATURES];

const TOKEN_FILE = "AWS_WEB_IDENTITY_TOKEN_FILE";

/** The keys of `host` that say which identity signs. */
export const IDENTITY_KEYS: readonly string[] = ["identity", "profile", "role_arn"];

/**
 * Where credentials come from, by `host.identity`, with the variables that each needs, one of each list. `default`: whatever is found
 * first.
 */
const IDENTITIES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  environment: [["AWS_ACCESS_KEY_ID"], ["AWS_SECRET_ACCESS_KEY"]],
  profile: [],
  web_identity: [[TOKEN_FILE], ["AWS_ROLE_ARN"]],
  container: [["AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"]],
  instance: [],
  default: [],
};

/** What is wrong with the identity that signs; null: nothing. */
export function findIdentityFault(
  settings: HostSettings,
  variables: Readonly<Record<string, string | undefined>>,
): HostFault | null {
  const { identity, profile, role_arn: role } = settings;
  const allowed = Object.keys(IDENTITIES).join(", ");
  if (identity === undefined) {
    return { path: ["host"], message: `lacks credentials: set api_key, or host.identity to one of ${allowed}` };
  }
  const needed = IDENTITIES[identity];
  if (needed === undefined) return { path: ["host", "identity"], message: `is "${identity}"; allowed: ${allowed}` };
  if (profile !== undefined && identity !== "profile") {
    return { path: ["host", "profile"], message: "needs host.identity: profile" };
  }
  if (role !== undefined && !/^arn:[\w-]+:iam::\d{12}:role\/\S+$/.test(role)) {
    return { path: ["host", "role_arn"], message: "is no ARN of a role, such as arn:aws:iam::123456789012:role/NAME" };
  }
  const at = (message: string) => ({ path: ["host", "identity"], message: `is ${identity} and needs ${message}` });
  const missing = needed.find((names) => !names.some((name) => variables[name]))?.join(" or ");
  if (missing !== undefined) return at(`the environment variable ${missing}`);
  if (identity === "web_identity") {
    const read = readCredentialFile(String(variables[TOKEN_FILE]));
    return "fault" in read ? at(`${TOKEN_FILE}, which ${read.fault}`) : null;
  }
  const isNamed = Boolean(variables["AWS_PROFILE"]);
  const name = profile ?? (variables["AWS_PROFILE"] || "default");
  if (identity !== "profile" || hasProfile(name, variables)) return null;
  if (profile !== undefined)
    return { path: ["host", "profile"], message: `is "${profile}", which is in no file of AWS` };
  return at(`${isNamed ? "the one that AWS_PROFILE names" : 'one named "default"'}, which is in no file of AWS`);
}

/** Whether a file of AWS's has a profile: `[NAME]`, or `[profile NAME]` in the one of settings. */
function hasProfile(name: string, variables: Readonly<Record<string, string | undefined>>): boolean {
  const folder = join(variables["HOME"] || homedir(), ".aws");
  const files = [
    variables["AWS_SHARED_CREDENTIALS_FILE"] || join(folder, "credentials"),
    variables["AWS_CONFIG_FILE"] || join(folder, "config"),
  ];
  return files.some((file) => {
    const read = readCredentialFile(file);
    const heads = "fault" in read ? [] : read.text.matchAll(/^\s*\[\s*(?:profile\s+)?(["']?)([^\]]+?)\1\s*\]/gm);
    return [...heads].some(([, , profile]) => profile === name);
  });
}

interface SignerOptions {
  readonly entry: HostedEntry;
  readonly region: string;
  /** The service that the requests are for, as signatures name it. */
  readonly service: string;
}

/** Creates what signs the requests of a host: its method, address, query and body. Rejects with an Error for the operator. */
export function createAwsSigner(
  { entry, region, service }: SignerOptions,
  services: HostServices,
): Pick<Host, "authorize" | "discardCredentials"> {
  const { clock, loadLibrary } = services;
  const credentials = keepToken(
    { name: `provider "${entry.name}"`, ask: () => askAws(entry.hostSettings, region, services), secrets: [] },
    services,
  );
  const authorize: Host["authorize"] = async ({ method, origin, path, body }) => {
    // First, since its errors have the name of the provider, and are bounded in time.
    const identity = await credentials.get();
    const { SignatureV4 } = (await loadLibrary(SIGNATURES)) as SignatureLibrary;
    const signer = new SignatureV4({ service, region, credentials: identity, sha256: Sha256 });
    const { protocol, hostname, host, searchParams } = new URL(origin + path);
    const request = {
      method,
      protocol,
      hostname,
      // As it is sent: a parsed address might have another form.
      path: path.replace(/\?.*$/, ""),
      query: Object.fromEntries(searchParams),
      headers: { host },
      body,
    };
    const signed = await signer.sign(request, { signingDate: new Date(clock.nowMs()) });
    return Object.entries(signed.headers)
      .filter(([name]) => name !== "host")
      .flat();
  };
  return { authorize, discardCredentials: credentials.discard };
}

async function askAws(settings: HostSettings, region: string, { loadLibrary, fetch }: HostServices) {
  const library = (await loadLibrary(CREDENTIALS)) as CredentialLibrary;
  const requestHandler = createAwsRequests(fetch);
  const { role_arn: role } = settings;
  // The region is not that of `clientConfig`, which would count before the region of a single sign-on.
  const own = providerOf(library, settings, { clientConfig: { requestHandler }, parentClientConfig: { region } });
  const params = { RoleArn: String(role), RoleSessionName: "turngate" };
  const clientConfig = { region, requestHandler };
  const provider =
    role === undefined ? own : library.fromTemporaryCredentials({ masterCredentials: own, params, clientConfig });
  const identity = await provider();
  // Keys without an end are read again with the configuration.
  return { token: identity, expiresMs: identity.expiration?.getTime() ?? Number.POSITIVE_INFINITY };
}

interface CallOptions {
  readonly clientConfig: { readonly requestHandler: ReturnType<typeof createAwsRequests> };
  readonly parentClientConfig: { readonly region: string };
}

function providerOf(
  library: CredentialLibrary,
  { identity, profile }: HostSettings,
  options: CallOptions,
): AskForCredentials {
  switch (identity) {
    case "environment":
      return library.fromEnv();
    case "profile":
      return library.fromIni({ ...options, ignoreCache: true, ...(profile === undefined ? {} : { profile }) });
    case "web_identity":
      return library.fromTokenFile(options);
    case "container":
      return library.fromHttp();
    case "instance":
      return library.fromInstanceMetadata();
    default:
      return library.fromNodeProviderChain({ ...options, ignoreCache: true });
  }
}

type SourceData = string | ArrayBuffer | ArrayBufferView;

/** SHA-256 as the library takes it, with a key HMAC. */
class Sha256 {
  readonly #hash: Hash | Hmac;

  constructor(secret?: SourceData) {
    this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", bytesOf(secret));
  }

  update(data: SourceData): void {
    this.#hash.update(bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    throw new Error("a hash is used once");
  }
}

function bytesOf(data: SourceData): Uint8Array {
  if (typeof data === "string") return Buffer.from(data);
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
