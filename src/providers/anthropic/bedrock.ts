// Claude on Amazon Bedrock: `POST /model/{model}/invoke-with-response-stream`. docs/providers/bedrock.md
//
// The wire is Anthropic's in another envelope: the model stands in the path, version and betas in the body, and the events of a
// message come in frames.
import type { UpstreamError } from "../../ports/provider.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../base/json.ts";
import { bearerHeaders, findUselessIdentity, hasHeader, pathBelow } from "../endpoint.ts";
import type { HostedEntry, HostType, RoundRequest } from "../host.ts";
import { createAwsSigner, findIdentityFault, IDENTITY_KEYS, SIGNING_LIBRARIES } from "../wire/aws.ts";
import type { UpstreamFault } from "../wire/error-codes.ts";
import { classifyResponse, createResponseError, type ErrorResponse } from "../wire/errors.ts";
import { readText } from "../wire/json-shape.ts";
import { readHeader } from "../wire/response-headers.ts";
import { createChunkReader } from "./bedrock-chunks.ts";
import type { WireRequest } from "./wire.ts";

/** Value of `anthropic_version`. */
const WIRE_VERSION = "bedrock-2023-05-31";

const REGION = /^[a-z]{2,5}(?:-[a-z]+)+-\d{1,2}$/;
/** The region in an address of Bedrock, private endpoints included. */
const REGION_OF_HOST = /\bbedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.(?:vpce\.)?(?:amazonaws\.|api\.aws)/;

export const BEDROCK: HostType = {
  keys: ["region", ...IDENTITY_KEYS],

  librariesOf: (entry) => (signs(entry) ? SIGNING_LIBRARIES : []),

  findFault: (entry, variables) =>
    findRegionFault(entry) ??
    (signs(entry) ? findIdentityFault(entry.hostSettings, variables) : findUselessIdentity(entry, IDENTITY_KEYS)),

  create(entry, services) {
    const region = String(entry.hostSettings["region"]);
    const baseUrl = new URL(entry.baseUrl ?? `https://bedrock-runtime.${region}.amazonaws.com`);
    const headers = entry.apiKey === null ? [] : bearerHeaders(entry.apiKey);
    return {
      baseUrl,
      headers,
      place,
      createReader: createChunkReader,
      errorOfResponse,
      // A list that is free and nearly always empty. Credentials that may not read it are valid nevertheless.
      check: {
        url: pathBelow(baseUrl, "/async-invoke"),
        headers,
        rejectsKey: (status, body) => (status === 401 || status === 403) && !/not authorized to perform/i.test(body),
        faultOf: (_status, body) => faultOf(body, entry),
      },
      ...(signs(entry) ? createAwsSigner({ entry, region, service: "bedrock" }, services) : {}),
    };
  },
};

/** What AWS says of a signature and its credentials, and what that means. */
const SIGNATURE_FAULTS: readonly (readonly [RegExp, (entry: HostedEntry) => string])[] = [
  [/scoped to a valid region/i, ({ hostSettings }) => `is not in ${hostSettings["region"]}, the host.region`],
  [
    /security token included in the request is expired/i,
    ({ name }) => `says that the credentials of ${name} have expired`,
  ],
  [/security token included in the request is invalid/i, ({ name }) => `does not know the credentials of ${name}`],
  [/signature expired|signature not yet current/i, () => "says that the clock of this machine is wrong"],
  [/signature we calculated does not match/i, ({ name }) => `says that the secret key of ${name} is wrong`],
];

function faultOf(body: string, entry: HostedEntry): string | null {
  return SIGNATURE_FAULTS.find(([words]) => words.test(body))?.[1](entry) ?? null;
}

/** Neither a key nor a header of the operator's has the credentials. */
function signs(entry: HostedEntry): boolean {
  return entry.apiKey === null && !hasHeader(entry, "authorization");
}

function findRegionFault({ hostSettings, baseUrl }: HostedEntry) {
  const region = hostSettings["region"];
  if (region === undefined) return { path: ["host"], message: "lacks region, such as eu-central-1" };
  const path = ["host", "region"];
  if (!REGION.test(region)) return { path, message: `is "${region}", which is no region of AWS, such as eu-central-1` };
  const other = baseUrl === null ? undefined : REGION_OF_HOST.exec(new URL(baseUrl).hostname)?.[1];
  if (other === undefined || other === region) return null;
  return { path, message: `is ${region}, but base_url is an address in ${other}` };
}

/** A Messages request as Bedrock takes it. */
function place({ body, headers }: RoundRequest, upstreamModel: string): RoundRequest {
  const { model: _model, stream: _stream, thinking, ...rest } = body as WireRequest;
  const at = headers.indexOf("anthropic-beta");
  return {
    // Ids may be ARNs, with slashes.
    path: `/model/${encodeURIComponent(upstreamModel)}/invoke-with-response-stream`,
    headers: [],
    body: {
      anthropic_version: WIRE_VERSION,
      ...(at === -1 ? {} : { anthropic_beta: headers[at + 1]?.split(",") }),
      ...rest,
      ...(thinking === undefined ? {} : { thinking: renameBinding(thinking) }),
    },
  };
}

/** Bedrock has another name for the field. */
function renameBinding(thinking: NonNullable<WireRequest["thinking"]>): object {
  if (thinking.type !== "adaptive" || thinking.block_binding === undefined) return thinking;
  return { ...thinking, block_binding: { mismatch_behavior: thinking.block_binding.prefix_mismatch_behavior } };
}

/** What errors mean whose status says otherwise. */
const FAULTS: ReadonlyMap<string, UpstreamFault> = new Map([
  ["AccessDeniedException", "account_fault"],
  ["ExpiredTokenException", "account_fault"],
  ["IncompleteSignatureException", "account_fault"],
  ["InvalidSignatureException", "account_fault"],
  ["ModelErrorException", "provider_unavailable"],
  ["NotAuthorizedException", "account_fault"],
  ["OptInRequired", "account_fault"],
  ["RequestExpired", "account_fault"],
  ["ServiceQuotaExceededException", "account_fault"],
  ["ThrottlingException", "provider_rate_limited"],
  ["UnrecognizedClientException", "account_fault"],
]);

/** A model that is unknown, or not to be had under this id or in this region, is reported as an invalid request. */
const ABOUT_MODEL =
  /^(?:The provided model identifier is invalid|Invocation of model ID \S{1,2048} with on-demand throughput isn.t supported)/;

/** Stands before what the model's own server says. */
const OF_MODEL = /^The model returned the following errors: /;

/** The error of a response; null for one in Anthropic's own shape, from a gateway. */
function errorOfResponse(response: ErrorResponse): UpstreamError | null {
  const { head, body, model } = response;
  const parsed = parseJson(body);
  const value: JsonObject = isJsonObject(parsed) ? parsed : {};
  if (isJsonObject(value.error)) return null;
  // `namespace#Type` or `Type:address`.
  const type = readHeader(head.headers, "x-amzn-errortype") ?? readText(value["__type"]) ?? "";
  const word = type.replace(/:.*$/, "").replace(/^.*#/, "");
  const message = (readText(value.message) ?? readText(value.Message))?.replace(OF_MODEL, "") ?? null;
  const report = { message, words: word === "" ? [] : [word] };
  const isAboutModel = head.status === 400 && ABOUT_MODEL.test(message ?? "");
  const fault = isAboutModel ? "account_fault" : (FAULTS.get(word) ?? classifyResponse(response, report));
  const error = createResponseError(response, fault, report);
  return isAboutModel ? error.withMessage(`The provider does not know the model ${model.id}.`) : error;
}
