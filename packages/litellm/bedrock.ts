// Claude on Amazon Bedrock in a LiteLLM configuration: the host of turngate.yaml made of a model's name and its `aws_…` keys.
import { type Fields, textOf, variableOf } from "./litellm-values.ts";

/** The keys of `litellm_params` that are read here. */
export const BEDROCK_PARAMS = [
  "aws_access_key_id",
  "aws_bedrock_runtime_endpoint",
  "aws_profile_name",
  "aws_region_name",
  "aws_role_name",
  "aws_secret_access_key",
  "aws_session_name",
  "aws_session_token",
  "aws_web_identity_token",
  "model_id",
];

/** A model's id there, and where it is hosted. */
interface HostedModel {
  readonly model: string;
  readonly host: Fields;
}

/** Behind the prefix, LiteLLM takes the name of an API, and a region. */
const NAME = /^(?:(?:converse|converse_like|invoke)\/)?(?:([a-z]{2,5}(?:-[a-z]+)+-\d)\/)?(.+)$/;

/** Reads a model whose name stands behind `bedrock/`. Null, with a note, for any other than Claude. */
export function readBedrock(name: string, params: Fields, at: string, notes: string[]): HostedModel | null {
  const [, regionOfName, id = ""] = NAME.exec(name) ?? [];
  if (!/(?:^|[./])anthropic\.claude-/.test(id)) {
    notes.push(`${at} of the models of Bedrock, Claude alone is served.`);
    return null;
  }
  const model = textOf(params["model_id"]) || id;
  const regionOfArn = /^arn:[\w-]+:bedrock:([\w-]+):/.exec(model)?.[1];
  const region = referenceOf(params["aws_region_name"]) ?? regionOfName ?? regionOfArn ?? "${AWS_REGION}";
  const host = { type: "bedrock", region };
  return { model, host: params["api_key"] === undefined ? { ...host, ...identityOf(params, at, notes) } : host };
}

function identityOf(params: Fields, at: string, notes: string[]): Fields {
  const { aws_profile_name, aws_role_name, aws_access_key_id, aws_secret_access_key, aws_web_identity_token } = params;
  if (aws_web_identity_token !== undefined) {
    notes.push(`${at} the web identity is read from AWS_WEB_IDENTITY_TOKEN_FILE, and its role from AWS_ROLE_ARN.`);
    return { identity: "web_identity" };
  }
  const role_arn = referenceOf(aws_role_name);
  const role = role_arn === undefined ? {} : { role_arn };
  const profile = referenceOf(aws_profile_name);
  if (profile !== undefined) return { identity: "profile", profile, ...role };
  if (aws_access_key_id === undefined) return { identity: "default", ...role };
  const isUsual =
    variableOf(aws_access_key_id) === "AWS_ACCESS_KEY_ID" &&
    variableOf(aws_secret_access_key) === "AWS_SECRET_ACCESS_KEY";
  if (!isUsual) notes.push(`${at} the keys of AWS are read from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`);
  return { identity: "environment", ...role };
}

/** `${NAME}` for a variable, or the text; undefined for anything else. */
function referenceOf(value: unknown): string | undefined {
  const variable = variableOf(value);
  return variable === null ? textOf(value) || undefined : `\${${variable}}`;
}
