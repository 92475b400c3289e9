import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { parse } from "yaml";
import { read } from "../../test/support/config.ts";
import { importLitellm } from "./import-litellm.ts";

const folder = mkdtempSync(join(tmpdir(), "turngate-litellm-"));
after(() => rmSync(folder, { recursive: true }));
const AWS_CONFIG_FILE = join(folder, "config");
writeFileSync(AWS_CONFIG_FILE, "[profile team]\n");

const CANARY = "CANARY-of-a-key";

/** The file made of models that LiteLLM sends to these names with these keys. */
const load = (...models: readonly (readonly [model: string, params?: object])[]) =>
  importLitellm(
    "litellm.yaml",
    JSON.stringify({
      model_list: models.map(([model, params], at) => ({
        model_name: `m${at}`,
        litellm_params: { model: `bedrock/${model}`, ...params },
      })),
    }),
  );
const hostsOf = (text: string) =>
  Object.values(parse(text).providers as Record<string, { host: object }>).map(({ host }) => host);

const CLAUDE = "us.anthropic.claude-opus-5-5";

test("models of Bedrock get their host, and a start reads the file", async () => {
  const arn = `arn:aws:bedrock:ap-northeast-1:123456789012:inference-profile/${CLAUDE}`;
  const role = "arn:aws:iam::123456789012:role/gateway";
  const { text, notes, carried } = load(
    [CLAUDE, { aws_region_name: "us-east-1" }],
    [`converse/us-west-2/${CLAUDE}`],
    [arn],
    [`invoke/${CLAUDE}`, { aws_region_name: "os.environ/REGION", aws_profile_name: "team" }],
    [CLAUDE, { aws_role_name: role, aws_session_name: "s" }],
    [CLAUDE, { aws_region_name: "eu-central-1", api_key: "os.environ/AWS_BEARER_TOKEN_BEDROCK" }],
    [
      CLAUDE,
      {
        aws_region_name: "eu-west-1",
        aws_access_key_id: "os.environ/AWS_ACCESS_KEY_ID",
        aws_secret_access_key: "os.environ/AWS_SECRET_ACCESS_KEY",
        aws_bedrock_runtime_endpoint: "https://bedrock.internal",
      },
    ],
  );
  assert.deepEqual(notes, []);
  assert.equal(carried, 7);
  const type = "bedrock";
  assert.deepEqual(hostsOf(text), [
    { type, region: "us-east-1", identity: "default" },
    { type, region: "us-west-2", identity: "default" },
    { type, region: "ap-northeast-1", identity: "default" },
    { type, region: "${REGION}", identity: "profile", profile: "team" },
    { type, region: "${AWS_REGION}", identity: "default", role_arn: role },
    { type, region: "eu-central-1" },
    { type, region: "eu-west-1", identity: "environment" },
  ]);
  const { providers, models } = parse(text);
  assert.equal(providers["bedrock-6"].api_key, "${AWS_BEARER_TOKEN_BEDROCK}");
  assert.equal(providers["bedrock-7"].base_url, "https://bedrock.internal");
  assert.deepEqual(
    models.map(({ upstream_model }: { upstream_model: string }) => upstream_model),
    [CLAUDE, CLAUDE, arn, CLAUDE, CLAUDE, CLAUDE, CLAUDE],
  );
  const variables = {
    REGION: "eu-north-1",
    AWS_REGION: "eu-south-1",
    AWS_BEARER_TOKEN_BEDROCK: "k",
    AWS_ACCESS_KEY_ID: "a",
    AWS_SECRET_ACCESS_KEY: "s",
    AWS_CONFIG_FILE,
  };
  const config = await read(text, variables);
  assert.deepEqual(
    config.providers.map(({ hostSettings }) => hostSettings?.["region"]),
    ["us-east-1", "us-west-2", "ap-northeast-1", "eu-north-1", "eu-south-1", "eu-central-1", "eu-west-1"],
  );
});

test("a profile's ARN beside the model's name is what is called", () => {
  const arn = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc";
  const { text } = load([CLAUDE, { model_id: arn }]);
  const [model] = parse(text).models;
  assert.equal(model.upstream_model, arn);
  assert.deepEqual(hostsOf(text), [{ type: "bedrock", region: "us-east-1", identity: "default" }]);
});

test("keys of AWS in the file are not repeated, and a note says where they are read", () => {
  const { text, notes } = load(
    [CLAUDE, { aws_region_name: "us-east-1", aws_access_key_id: CANARY, aws_secret_access_key: CANARY }],
    [CLAUDE, { aws_region_name: "us-east-2", aws_web_identity_token: CANARY, aws_role_name: "r" }],
    [CLAUDE, { aws_region_name: "us-west-1", api_key: CANARY }],
  );
  assert.doesNotMatch(text + notes.join(), /CANARY/);
  assert.deepEqual(notes, [
    "model_list[0], m0: the keys of AWS are read from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
    "model_list[1], m1: the web identity is read from AWS_WEB_IDENTITY_TOKEN_FILE, and its role from AWS_ROLE_ARN.",
    "model_list[2], m2: the key is written in the file; put it into the variable AWS_BEARER_TOKEN_BEDROCK.",
  ]);
});

test("other models of Bedrock are left out with a note", () => {
  const { notes, carried } = load(["amazon.nova-pro-v1:0"], ["meta.llama4"], ["arn:aws:bedrock:us-east-1:1:x/abc"]);
  assert.equal(carried, 0);
  assert.match(
    notes.join("\n"),
    /^(?:model_list\[\d\], m\d: of the models of Bedrock, Claude alone is served\.\n?){3}$/,
  );
});
