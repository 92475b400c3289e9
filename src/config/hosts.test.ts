// Providers with a `host`: what of them is checked before anything starts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { read, testWrongFiles } from "../../test/support/config.ts";
import { familyOf } from "../../test/support/family-of.ts";
import { buildCatalog } from "./catalog.ts";
import { readConfigFile } from "./config-file.ts";
import { checkHosts } from "./hosts.ts";
import { INSTALL_HERE, librariesBeside } from "../installation/libraries.ts";

const azure = (fields: string, host = "") =>
  `providers:\n  a:\n    type: openai\n    base_url: https://x.openai.azure.com\n${fields}    host: { type: azure${host} }\n`;

const bedrock = (host: string, fields = "") =>
  `providers:\n  a:\n    type: anthropic\n${fields}    host: { type: bedrock${host} }\n`;

const vertex = (host: string, fields = "") =>
  `providers:\n  v:\n    type: anthropic\n${fields}    host: { type: vertex, ${host} }\n`;

testWrongFiles([
  [
    "Vertex AI without a project",
    vertex("region: eu, identity: default"),
    /^FILE:4: providers\.v\.host lacks project, the id of a Google Cloud project\.$/,
  ],
  [
    "Vertex AI without a region",
    vertex("project: my-project, identity: default"),
    /^FILE:4: providers\.v\.host lacks region, such as europe-west1, eu or global\.$/,
  ],
  [
    "a wrong region",
    vertex("project: my-project, region: Europe, identity: default"),
    /^FILE:4: providers\.v\.host\.region is "Europe"; allowed: global, us, eu, or a region such as europe-west1\.$/,
  ],
  [
    "Vertex AI in one region, at the address of another",
    vertex(
      "project: my-project, region: europe-west1, identity: default",
      "    base_url: https://us-central1-aiplatform.googleapis.com\n",
    ),
    /^FILE:5: providers\.v\.host\.region is europe-west1, but base_url is an address in us-central1\.$/,
  ],
  [
    "Vertex AI everywhere, at the address of a multi-region",
    vertex(
      "project: my-project, region: global, identity: default",
      "    base_url: https://aiplatform.eu.rep.googleapis.com/\n",
    ),
    /host\.region is global, but base_url is an address in eu\.$/,
  ],
  [
    "a wrong project",
    vertex("project: my/project, region: eu, identity: default"),
    /^FILE:4: providers\.v\.host\.project is "my\/project"; allowed: the id of a Google Cloud project\.$/,
  ],
  [
    "Vertex AI without credentials",
    vertex("project: my-project, region: eu"),
    /^FILE:4: providers\.v\.host lacks credentials: set host\.credentials_file, GOOGLE_APPLICATION_CREDENTIALS, or host\.identity: default/,
  ],
  [
    "a key for Vertex AI",
    vertex("project: my-project, region: eu, identity: default", "    api_key: k\n"),
    /^FILE:4: providers\.v\.api_key is set, but Vertex AI takes tokens; leave it out\.$/,
  ],
  [
    "a key of another host",
    vertex("project: my-project, region: eu, client_id: c"),
    /^FILE:4: providers\.v\.host\.client_id is no key of vertex; allowed: type, project, region, credentials_file, identity\.$/,
  ],
  [
    "a host that the family does not have",
    "providers:\n  a:\n    type: gemini\n    host: { type: azure }\n",
    /^FILE:4: providers\.a\.host is azure; the type gemini has /,
  ],
  [
    "an unknown host",
    "providers:\n  a:\n    type: openai\n    host: { type: cloud }\n",
    /^FILE:4: providers\.a\.host\.type is "cloud"; allowed: one of azure, bedrock, vertex/,
  ],
  [
    "Azure without its address",
    "providers:\n  a:\n    type: openai\n    host: { type: azure }\n",
    /^FILE:2: providers\.a lacks base_url, such as https:\/\/NAME\.openai\.azure\.com\.$/,
  ],
  [
    "Azure without credentials",
    azure(""),
    /^FILE:5: providers\.a\.host lacks credentials: set api_key, host\.client_secret or host\.identity\.$/,
  ],
  [
    "a secret of Entra without its tenant",
    azure("", ", client_id: c, client_secret: s"),
    /^FILE:5: providers\.a\.host has client_secret and lacks tenant_id\.$/,
  ],
  [
    "an unknown identity",
    azure("", ", identity: mine"),
    /^FILE:5: providers\.a\.host\.identity is "mine"; allowed: workload, managed, default\.$/,
  ],
  [
    "an identity beside a key",
    azure("    api_key: k\n", ", identity: managed"),
    /^FILE:6: providers\.a\.host\.identity is set together with a key; set only one of them\.$/,
  ],
  [
    "the address of a deployment",
    azure("").replace("azure.com", "azure.com/openai/deployments/gpt"),
    /^FILE:4: providers\.a\.base_url names a deployment/,
  ],
  [
    "the dated version of the older API",
    azure("    api_key: k\n").replace("azure.com", "azure.com/openai?api-version=2025-04-01-preview"),
    /^FILE:4: providers\.a\.base_url has a dated api-version, which the v1 API does not take; leave it out\.$/,
  ],
  [
    "Bedrock without a region",
    bedrock(", identity: default"),
    /^FILE:4: providers\.a\.host lacks region, such as eu-central-1\.$/,
  ],
  [
    "Bedrock in a place that is no region",
    bedrock(", region: Frankfurt"),
    /^FILE:4: providers\.a\.host\.region is "Frankfurt", which is no region of AWS, such as eu-central-1\.$/,
  ],
  [
    "Bedrock in one region, at the address of another",
    bedrock(
      ", region: eu-central-1",
      "    base_url: https://bedrock-runtime.us-east-1.amazonaws.com\n    api_key: k\n",
    ),
    /^FILE:6: providers\.a\.host\.region is eu-central-1, but base_url is an address in us-east-1\.$/,
  ],
  [
    "Bedrock without credentials",
    bedrock(", region: eu-central-1"),
    /^FILE:4: providers\.a\.host lacks credentials: set api_key, or host\.identity to one of environment, profile, web_identity, container, instance, default\.$/,
  ],
  [
    "Bedrock with an unknown identity",
    bedrock(", region: eu-central-1, identity: managed"),
    /^FILE:4: providers\.a\.host\.identity is "managed"; allowed: environment, profile, /,
  ],
  [
    "Bedrock with a profile and another identity",
    bedrock(", region: eu-central-1, identity: instance, profile: p"),
    /^FILE:4: providers\.a\.host\.profile needs host\.identity: profile\.$/,
  ],
  [
    "Bedrock with a role that is none",
    bedrock(", region: eu-central-1, identity: default, role_arn: gateway"),
    /^FILE:4: providers\.a\.host\.role_arn is no ARN of a role, such as arn:aws:iam::123456789012:role\/NAME\.$/,
  ],
  [
    "Bedrock with an identity beside a key",
    bedrock(", region: eu-central-1, role_arn: r", "    api_key: k\n"),
    /^FILE:5: providers\.a\.host\.role_arn is set together with a key; set only one of them\.$/,
  ],
  [
    "a key of another host",
    bedrock(", region: eu-central-1, tenant_id: t", "    api_key: k\n"),
    /^FILE:5: providers\.a\.host\.tenant_id is no key of bedrock; allowed: type, region, identity, profile, role_arn\.$/,
  ],
]);

test("a provider with a host keeps its settings and brings no built-in models", async () => {
  const config = await read(
    `${azure("    api_key: k\n")}models: [{id: a/gpt-eu, context_window: 9000, max_output_tokens: 1000, prices: {input: 1, output: 2}}]\n`,
  );
  assert.deepEqual(config.providers[0]?.hostSettings, { type: "azure" });
  assert.deepEqual(config.warnings, []);
  const { models } = await buildCatalog(config);
  assert.deepEqual(
    models.map(({ id, provider }) => [id, provider]),
    [["a/gpt-eu", "a"]],
  );
});

test("the key of a family in the environment is not sent to a host", async () => {
  const text =
    "providers: {anthropic: {type: anthropic, host: {type: bedrock, region: eu-central-1, identity: default}}}";
  const { providers } = await read(text, { ANTHROPIC_API_KEY: "sk-ant", ANTHROPIC_BASE_URL: "http://127.0.0.1:1" });
  assert.deepEqual([providers[0]?.apiKey, providers[0]?.baseUrl], [null, null]);
});

test("a library that is not installed is an error with the line that installs it, pinned", async () => {
  const text = azure("", ", identity: managed");
  const file = readConfigFile({ name: "FILE", text, variables: {}, families: [familyOf("openai")] });
  const { providers } = await read(text);
  const openLibraries = async () => librariesBeside("/nowhere/package.json", INSTALL_HERE, "/nowhere");
  await assert.rejects(
    checkHosts(file, providers, {}, openLibraries),
    /^OperatorError: the hosts of providers need @azure\/identity, which does not come with the program: npm install --prefix \. @azure\/identity@\d+\.\d+\.\d+$/,
  );
  const aws = bedrock(", region: eu-central-1, identity: default");
  await assert.rejects(
    checkHosts(file, (await read(aws)).providers, {}, openLibraries),
    /need @aws-sdk\/credential-providers and @smithy\/signature-v4, which do not come with the program: npm install --prefix \. @aws-sdk\/credential-providers@\d\S+ @smithy\/signature-v4@\d\S+$/,
  );
  // A key needs none.
  const keyed = azure("    api_key: k\n");
  await checkHosts({ ...file, config: {} }, (await read(keyed)).providers, {}, openLibraries);
});
