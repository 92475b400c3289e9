// GPT on Azure as a fake provider: what Azure checks before OpenAI's API, in the shapes of its errors.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { RESPONSES_KEY, RESPONSES_WIRE } from "../../support/fake-responses.ts";
import type { Wire } from "../../support/fake-provider.ts";
import type { ApiError } from "../../support/fake-stream.ts";

export const AZURE_KEY = "azure-resource-key";

const DEPLOYMENTS = ["gpt-eu", "busy", "filtered"];
const FILTERED =
  "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.";

/** A resource whose tokens are those that `isValidToken` accepts. */
export function azureWire(isValidToken: (token: string) => boolean): Wire {
  return {
    ...RESPONSES_WIRE,
    basePath: "",
    check(request) {
      const { url, headers, body } = request;
      if (url !== "/openai/v1/responses" && url !== "/openai/v1/models")
        return errorOf(404, { code: "404", message: "Resource not found" });
      const token = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1];
      if (headers["api-key"] !== AZURE_KEY && (token === undefined || !isValidToken(token))) {
        const message =
          token === undefined
            ? "Access denied due to invalid subscription key or wrong API endpoint."
            : "Unauthorized. Access token is missing, invalid, audience is incorrect (https://ai.azure.com), or have expired.";
        return errorOf(401, { code: "401", message });
      }
      if (url.endsWith("/models")) return { status: 200, message: "none", body: { data: [] } };
      if (!DEPLOYMENTS.includes(body.model)) {
        return errorOf(404, {
          code: "DeploymentNotFound",
          message: "The API deployment for this resource does not exist.",
        });
      }
      if (body.model === "busy") {
        const message =
          "Requests have exceeded the call rate limit of your pricing tier. Please retry after 7 seconds.";
        return errorOf(429, { code: "429", message }, { "retry-after": "7" });
      }
      if (body.model === "filtered") {
        const innererror = {
          code: "ResponsibleAIPolicyViolation",
          content_filter_result: { hate: { filtered: true, severity: "high" } },
        };
        return errorOf(400, { message: FILTERED, type: null, param: "prompt", code: "content_filter", innererror });
      }
      const own = { authorization: `Bearer ${RESPONSES_KEY}` };
      return RESPONSES_WIRE.check({ ...request, url: "/v1/responses", headers: own });
    },
  };
}

function errorOf(
  status: number,
  error: { readonly message: string; readonly [key: string]: unknown },
  headers?: Record<string, string>,
): ApiError {
  return { status, message: error.message, body: { error }, ...(headers === undefined ? {} : { headers }) };
}

/** What an identity endpoint of Azure's App Service was asked, and its address. */
export interface IdentityEndpoint {
  readonly url: string;
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** The endpoint that gives managed identities their tokens; `reply` writes its response. */
export async function startIdentityEndpoint(
  reply: (response: ServerResponse, count: number) => void,
): Promise<IdentityEndpoint> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${String(request.headers["x-identity-header"])} ${request.url}`);
    reply(response, asked.length);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/token`,
    asked,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
