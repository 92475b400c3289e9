// Models of LiteLLM that a cloud hosts: providers with a `host` in turngate.yaml.
import { type Fields, textOf, variableOf } from "./litellm-values.ts";

/** A model at a host, before its references and secrets are written as variables. */
export interface Hosted {
  /** The type of its provider in turngate.yaml. */
  readonly type: string;
  /** The model's name there. */
  readonly model: string;
  readonly address: unknown;
  /** The variable that LiteLLM reads when the file has no key; null: the credentials are elsewhere. */
  readonly keyVariable: string | null;
  /** `host`, by key; what is undefined is left out. */
  readonly host: Readonly<Record<string, unknown>>;
  /** The key of `host` that is a secret, with the variable for it. */
  readonly secret: readonly [key: string, variable: string] | null;
  /** Sent as `Authorization: Bearer`; undefined: none. */
  readonly bearer: unknown;
  /** What was assumed or left out, a sentence each. */
  readonly notes: readonly string[];
}

/** The parameters that are read here, besides those of every model. */
export const HOST_PARAMS = [
  "api_version",
  "azure_ad_token",
  "client_id",
  "client_secret",
  "tenant_id",
  "vertex_credentials",
  "vertex_location",
  "vertex_project",
];

/** Those that `litellm_settings` may have for all models. */
export const SHARED_PARAMS = ["vertex_location", "vertex_project"];

const HOSTS: Readonly<Record<string, (model: string, params: Fields) => Hosted | null>> = {
  azure: onAzure,
  vertex_ai: onVertex,
  vertex_ai_beta: onVertex,
};

/** What a model of this prefix becomes; null if no host that turngate.yaml knows has it. */
export function readHosted(prefix: string, model: string, params: Fields): Hosted | null {
  return HOSTS[prefix]?.(model, params) ?? null;
}

/** LiteLLM names the API and the kind of model before the deployment. */
const AZURE_MODEL = /^(?:responses\/|o_series\/|gpt5_series\/)*(.+)$/;

function onAzure(model: string, params: Fields): Hosted {
  const { tenant_id, client_id, client_secret, azure_ad_token, api_key } = params;
  const usesEntra = api_key === undefined && (client_secret !== undefined || azure_ad_token !== undefined);
  const identity = usesEntra && client_secret !== undefined ? { tenant_id, client_id, client_secret } : {};
  return {
    type: "openai",
    model: AZURE_MODEL.exec(model)?.[1] ?? model,
    address: resourceOf(params["api_base"] ?? params["base_url"] ?? "os.environ/AZURE_API_BASE"),
    keyVariable: usesEntra ? null : "AZURE_API_KEY",
    host: { type: "azure", ...identity },
    secret: ["client_secret", "AZURE_CLIENT_SECRET"],
    bearer: usesEntra && client_secret === undefined ? azure_ad_token : undefined,
    notes: [],
  };
}

/** The address of the resource: the v1 API has no path of a deployment and no dated version. */
function resourceOf(address: unknown): unknown {
  return typeof address === "string" ? address.replace(/\/openai(?:[/?].*)?$|\?.*$/, "") : address;
}

/** The families whose models Vertex AI has, by the beginning of a name. */
const VERTEX_TYPES = [
  ["gemini-", "gemini"],
  ["claude-", "anthropic"],
] as const;

function onVertex(model: string, params: Fields): Hosted | null {
  const type = VERTEX_TYPES.find(([start]) => model.startsWith(start))?.[1];
  if (type === undefined) return null;
  const { vertex_project: project, vertex_location: region, vertex_credentials: credentials } = params;
  const notes: string[] = [];
  // A path, or all of the file.
  const variable = variableOf(credentials);
  const isContent = variable === null && credentials !== undefined && !isPath(credentials);
  if (isContent) notes.push("the credentials are written in the file; put them into a file for host.credentials_file.");
  if (variable !== null) notes.push(`${variable} must hold the path of a file here, not the credentials themselves.`);
  if (region === undefined) notes.push("the region is us-central1, which LiteLLM assumes.");
  const left = ["api_base", "api_key"].filter((key) => params[key] !== undefined);
  if (left.length > 0) notes.push(`not carried over: ${left.join(", ")}.`);
  const hasFile = credentials !== undefined && !isContent;
  return {
    type,
    model,
    address: null,
    keyVariable: null,
    host: {
      type: "vertex",
      project: project ?? "os.environ/VERTEXAI_PROJECT",
      region: region ?? "us-central1",
      ...(hasFile ? { credentials_file: credentials } : { identity: "default" }),
    },
    secret: null,
    bearer: undefined,
    notes,
  };
}

function isPath(value: unknown): boolean {
  return textOf(value) !== "" && !textOf(value).trimStart().startsWith("{");
}
