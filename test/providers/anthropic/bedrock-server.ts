// Claude on Bedrock as a fake provider: what AWS and Bedrock check before the Messages API, in the shapes of their errors, and
// its events in frames.
import { createHash, createHmac } from "node:crypto";
import type { ServerResponse } from "node:http";
import { SignatureV4 } from "@smithy/signature-v4";
import { chunkFrame, exceptionFrame } from "../../support/event-stream-frames.ts";
import { MESSAGES_KEY, MESSAGES_WIRE } from "../../support/fake-messages.ts";
import type { FakeRequest, Wire } from "../../support/fake-provider.ts";
import type { ApiError } from "../../support/fake-stream.ts";
import type { Loose } from "../../support/http-client.ts";

export const BEDROCK_KEY = "bedrock-api-key-12345";
export const REGION = "eu-central-1";

/** Keys that the fake knows. */
export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  /** Unix milliseconds; not given: they do not expire. */
  readonly expiresMs?: number;
}

/** Signatures are valid for so long. */
const SKEW_MS = 5 * 60_000;

/** A region whose keys are those that `findKeys` knows. */
export function bedrockWire(findKeys: (accessKeyId: string) => AwsKeys | undefined): Wire {
  return {
    basePath: "",
    async check(request) {
      const identityError = await checkIdentity(request, findKeys);
      if (identityError !== null) return identityError;
      if (request.method === "POST") return checkInvocation(request);
      return request.url === "/async-invoke"
        ? errorOf(403, "AccessDeniedException", "User: arn is not authorized to perform: bedrock:ListAsyncInvokes")
        : errorOf(404, "UnknownOperationException", "");
    },
    read: (request) => MESSAGES_WIRE.read(messagesRequest(request)),
    respond: (request, response) => MESSAGES_WIRE.respond(messagesRequest(request), inFrames(response, request)),
  };
}

function errorOf(status: number, type: string, message: string): ApiError {
  const headers = {
    "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/`,
    "x-amzn-requestid": `amzn-${status}`,
  };
  return { status, message, body: { message }, headers };
}

async function checkIdentity(
  { method, url, headers, text }: FakeRequest,
  findKeys: (accessKeyId: string) => AwsKeys | undefined,
): Promise<ApiError | null> {
  const authorization = String(headers.authorization ?? "");
  if (authorization.startsWith("Bearer ")) {
    const isValid = authorization === `Bearer ${BEDROCK_KEY}`;
    const message = "Authentication failed: Please make sure your API Key is valid.";
    return isValid ? null : { ...errorOf(403, "AccessDeniedException", message), body: { Message: message } };
  }
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
      authorization,
    );
  if (match === null) return errorOf(403, "MissingAuthenticationTokenException", "Missing Authentication Token");
  const [, accessKeyId = "", day, region, service, signedHeaders = "", signature] = match;
  const keys = findKeys(accessKeyId);
  if (keys === undefined || keys.sessionToken !== headers["x-amz-security-token"]) {
    return errorOf(403, "UnrecognizedClientException", "The security token included in the request is invalid.");
  }
  if (keys.expiresMs !== undefined && keys.expiresMs < Date.now()) {
    return errorOf(403, "ExpiredTokenException", "The security token included in the request is expired");
  }
  if (region !== REGION) {
    return errorOf(403, "InvalidSignatureException", `Credential should be scoped to a valid region, not '${region}'.`);
  }
  if (service !== "bedrock") {
    return errorOf(403, "InvalidSignatureException", "Credential should be scoped to correct service: 'bedrock'.");
  }
  const date = String(headers["x-amz-date"]);
  const at = new Date(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  if (Math.abs(at.getTime() - Date.now()) > SKEW_MS || !date.startsWith(String(day))) {
    return errorOf(403, "InvalidSignatureException", "Signature expired");
  }
  // Recomputed by the cloud's own library, from what arrived.
  const signer = new SignatureV4({ service, region, credentials: keys, sha256: Sha256 });
  const names = signedHeaders.split(";");
  const { pathname, searchParams } = new URL(url, "http://fake");
  const signed = await signer.sign(
    {
      method,
      protocol: "http:",
      hostname: "fake",
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: Object.fromEntries(names.map((name) => [name, String(headers[name])])),
      body: text,
    },
    { signingDate: at },
  );
  const isRight = signed.headers["authorization"]?.endsWith(`Signature=${signature}`) && names.includes("host");
  const message =
    "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.";
  return isRight ? null : errorOf(403, "InvalidSignatureException", message);
}

class Sha256 {
  readonly #hash;
  constructor(secret?: Parameters<typeof createHmac>[1] | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", secret as Uint8Array);
  }
  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(data as Uint8Array);
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }
  reset(): void {}
}

const PATH = /^\/model\/([^/?]+)\/invoke-with-response-stream$/;
/** Only a profile may be invoked, not the model by itself. */
const WITHOUT_PROFILE = "anthropic.claude-sonnet-4-5-20250929-v1:0";

const modelOf = ({ url }: FakeRequest) => decodeURIComponent(PATH.exec(url)?.[1] ?? "");

async function checkInvocation(request: FakeRequest): Promise<ApiError | null> {
  const { body, url } = request;
  const invalid = (message: string) => errorOf(400, "ValidationException", message);
  if (!PATH.test(url)) return errorOf(404, "UnknownOperationException", "");
  const model = modelOf(request);
  if (model === WITHOUT_PROFILE) {
    return invalid(
      `Invocation of model ID ${model} with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.`,
    );
  }
  if (!/(?:^|\/)(?:[a-z-]+\.)?anthropic\.claude-/.test(model))
    return invalid("The provided model identifier is invalid.");
  for (const key of ["model", "stream", "cache_control"]) {
    if (key in body) return invalid(`${key}: Extra inputs are not permitted`);
  }
  if (model.endsWith("sonnet-5") && body.tools?.some((tool: Loose) => "strict" in tool))
    return invalid("tools.0.custom.strict: Extra inputs are not permitted");
  if (body.anthropic_version !== "bedrock-2023-05-31") return invalid("anthropic_version: Field required");
  if (body.thinking?.block_binding?.prefix_mismatch_behavior !== undefined) {
    return invalid("thinking.adaptive.block_binding.prefix_mismatch_behavior: Extra inputs are not permitted");
  }
  const directive = JSON.stringify(body.messages.at(-1));
  if (directive.includes("/busy")) {
    const error = errorOf(429, "ThrottlingException", "Too many requests, please wait before trying again.");
    return { ...error, headers: { ...error.headers, "retry-after": "7" } };
  }
  if (directive.includes("/long")) {
    return invalid("The model returned the following errors: Input is too long for requested model.");
  }
  if (directive.includes("/model-error")) {
    const error = errorOf(424, "ModelErrorException", "The model had an error.");
    return { ...error, body: { message: error.message, originalStatusCode: 500, resourceName: model } };
  }
  if (directive.includes("/down"))
    return errorOf(503, "ServiceUnavailableException", "Bedrock is unable to process your request.");
  const error = await MESSAGES_WIRE.check(messagesRequest(request));
  return error === null ? null : errorOf(error.status, "ValidationException", error.message);
}

/** The request that Anthropic's own server would get. */
function messagesRequest(request: FakeRequest): FakeRequest {
  const { anthropic_version: _version, anthropic_beta: betas, thinking, ...rest }: Loose = request.body;
  const binding = thinking?.block_binding;
  const name = modelOf(request)
    .replace(/^.*anthropic\./, "")
    .replace(/-v\d+(?::\d+)?$/, "");
  return {
    ...request,
    url: "/v1/messages",
    headers: {
      "x-api-key": MESSAGES_KEY,
      "anthropic-version": "2026-10-21",
      ...(betas === undefined ? {} : { "anthropic-beta": betas.join(",") }),
    },
    body: {
      model: name,
      stream: true,
      ...rest,
      ...(thinking === undefined ? {} : { thinking }),
      ...(binding === undefined
        ? {}
        : { thinking: { ...thinking, block_binding: { prefix_mismatch_behavior: binding.mismatch_behavior } } }),
    },
  };
}

const EXCEPTIONS: Readonly<Record<string, string>> = {
  api_error: "internalServerException",
  overloaded_error: "serviceUnavailableException",
  rate_limit_error: "throttlingException",
  invalid_request_error: "validationException",
};

/** The response with each server-sent event in a frame, errors as exceptions. */
function inFrames(response: ServerResponse, { number }: FakeRequest): ServerResponse {
  const write = response.write.bind(response) as (bytes: Buffer) => boolean;
  const writeHead = response.writeHead.bind(response);
  response.write = ((event: string) => {
    const data = /^data: (.*)$/m.exec(event)?.[1] ?? "";
    const { type, error } = JSON.parse(data);
    if (type !== "error") return write(chunkFrame(data));
    return write(exceptionFrame(EXCEPTIONS[error.type] ?? "unheardOfException", { message: error.message }));
  }) as typeof response.write;
  response.writeHead = (status: number) =>
    writeHead(status, {
      "content-type": "application/vnd.amazon.eventstream",
      "x-amzn-requestid": `amzn-${number}`,
    });
  return response;
}
