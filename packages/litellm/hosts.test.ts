// Deployments on Azure and Vertex AI become providers with a `host`, which a start reads.
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

/** Imports models, each by its name and what LiteLLM sends. */
function load(models: Readonly<Record<string, object>>, sections: object = {}) {
  const list = Object.entries(models).map(([name, params]) => ({ model_name: name, litellm_params: params }));
  const imported = importLitellm("litellm.yaml", JSON.stringify({ model_list: list, ...sections }));
  return { ...imported, ...(parse(imported.text) as { providers: Record<string, object>; models: object[] }) };
}

test("a deployment on Azure keeps its key, its resource and its name, whatever its address and version", async () => {
  const { providers, models, notes, text, carried } = load({
    gpt: { model: "azure/eu-deployment", api_base: "https://eu.openai.azure.com/", api_key: "os.environ/EU_KEY" },
    "gpt-us": {
      model: "azure/responses/us-deployment",
      api_base: "https://us.openai.azure.com/openai/deployments/x/chat/completions?api-version=2024-10-21",
      api_version: "2024-10-21",
    },
  });
  assert.deepEqual([notes, carried], [[], 2]);
  assert.deepEqual(providers, {
    azure: {
      type: "openai",
      base_url: "https://eu.openai.azure.com",
      api_key: "${EU_KEY}",
      host: { type: "azure" },
    },
    "azure-2": {
      type: "openai",
      base_url: "https://us.openai.azure.com",
      api_key: "${AZURE_API_KEY}",
      host: { type: "azure" },
    },
  });
  assert.deepEqual(models, [
    { id: "azure/gpt", provider: "azure", upstream_model: "eu-deployment" },
    { id: "azure-2/gpt-us", provider: "azure-2", upstream_model: "us-deployment" },
  ]);
  assert.equal((await read(text, { EU_KEY: "k", AZURE_API_KEY: "k" })).providers.length, 2);
});

test("an identity of Entra is carried over; its secret only if it is a variable", async () => {
  const { providers, notes, text } = load({
    app: {
      model: "azure/a",
      api_base: "os.environ/AZURE_API_BASE",
      tenant_id: "os.environ/TENANT",
      client_id: "the-client",
      client_secret: "CANARY",
    },
    token: { model: "azure/b", api_base: "https://b.openai.azure.com", azure_ad_token: "os.environ/AD_TOKEN" },
  });
  assert.deepEqual(providers["azure"], {
    type: "openai",
    base_url: "${AZURE_API_BASE}",
    host: { type: "azure", tenant_id: "${TENANT}", client_id: "the-client", client_secret: "${AZURE_CLIENT_SECRET}" },
  });
  assert.deepEqual(providers["azure-2"], {
    type: "openai",
    base_url: "https://b.openai.azure.com",
    headers: { Authorization: "Bearer ${AD_TOKEN}" },
    host: { type: "azure" },
  });
  assert.deepEqual(notes, [
    "model_list[0], app: client_secret is written in the file; put it into the variable AZURE_CLIENT_SECRET.",
  ]);
  assert.doesNotMatch(text, /CANARY/);
  const variables = { AZURE_API_BASE: "https://a.openai.azure.com", TENANT: "t", AZURE_CLIENT_SECRET: "s" };
  assert.equal((await read(text, { ...variables, AD_TOKEN: "t" })).providers.length, 2);
});

test("Claude and Gemini on Vertex AI become providers of their families", async () => {
  const file = join(folder, "google.json");
  writeFileSync(file, '{"type":"service_account","client_email":"a@b","private_key":"k"}');
  const { providers, models, notes, text } = load(
    {
      claude: {
        model: "vertex_ai/claude-haiku-4-5@20251001",
        vertex_project: "team-project",
        vertex_location: "europe-west1",
        vertex_credentials: file,
      },
      gemini: { model: "vertex_ai/gemini-3.8-flash" },
      llama: { model: "vertex_ai/meta/llama" },
      inline: { model: "vertex_ai/gemini-inline", vertex_credentials: '{"private_key":"CANARY"}' },
    },
    { litellm_settings: { vertex_project: "shared-project", vertex_location: "global" } },
  );
  assert.deepEqual(providers, {
    vertex_ai: {
      type: "anthropic",
      host: { type: "vertex", project: "team-project", region: "europe-west1", credentials_file: file },
    },
    "vertex_ai-2": {
      type: "gemini",
      host: { type: "vertex", project: "shared-project", region: "global", identity: "default" },
    },
  });
  assert.deepEqual(models[0], {
    id: "vertex_ai/claude",
    provider: "vertex_ai",
    upstream_model: "claude-haiku-4-5@20251001",
  });
  assert.equal(notes.length, 2);
  assert.match(String(notes[0]), /llama: the provider vertex_ai is not known/);
  assert.match(String(notes[1]), /inline: the credentials are written in the file; put them into a file/);
  assert.doesNotMatch(text, /CANARY/);
  assert.equal((await read(text)).providers.length, 2);
});

test("a variable with Google's credentials has a note: here it holds a path", () => {
  const { providers, notes } = load({
    g: {
      model: "vertex_ai/gemini-3.8-flash",
      vertex_project: "team-project",
      vertex_location: "eu",
      vertex_credentials: "os.environ/GOOGLE_CREDS",
    },
  });
  assert.deepEqual(providers["vertex_ai"], {
    type: "gemini",
    host: { type: "vertex", project: "team-project", region: "eu", credentials_file: "${GOOGLE_CREDS}" },
  });
  assert.deepEqual(notes, [
    "model_list[0], g: GOOGLE_CREDS must hold the path of a file here, not the credentials themselves.",
  ]);
});

test("what LiteLLM assumes of Vertex AI is written, with a note", () => {
  const { providers, notes } = load({ g: { model: "vertex_ai/gemini-3.8-flash", api_key: "k" } });
  assert.deepEqual(providers["vertex_ai"], {
    type: "gemini",
    host: { type: "vertex", project: "${VERTEXAI_PROJECT}", region: "us-central1", identity: "default" },
  });
  assert.deepEqual(notes, [
    "model_list[0], g: the region is us-central1, which LiteLLM assumes.",
    "model_list[0], g: not carried over: api_key.",
  ]);
});
