// What gives AWS credentials: the address of a container's, the metadata of an instance, and the service that lends roles.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { AwsKeys } from "./bedrock-server.ts";

export interface CredentialService {
  readonly url: string;
  /** The requests so far: path, and body. */
  readonly asked: readonly string[];
  /** From now on every request is rejected. */
  fail(): void;
  close(): Promise<void>;
}

const LIVES_MS = 3_600_000;
const METADATA = "/latest/meta-data/iam/security-credentials/";

/** Starts it; `grant` is told of the keys that it gives. */
export async function startCredentialService(grant: (keys: AwsKeys) => unknown): Promise<CredentialService> {
  const asked: string[] = [];
  let isDown = false;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString("utf8");
    asked.push(`${request.url} ${body}`);
    if (isDown) {
      response.writeHead(403, { "content-type": "text/xml" });
      return response.end(
        "<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>not allowed</Message></Error><Secret>s3cret</Secret></ErrorResponse>",
      );
    }
    if (request.url === "/latest/api/token") return response.end("metadata-token");
    if (request.url === METADATA) return response.end("role-of-instance");
    const isRole = request.url === "/";
    const action = /Action=(\w+)/.exec(body)?.[1] ?? "";
    const keys = {
      accessKeyId: isRole ? "ASIAROLE" : request.url === "/container" ? "ASIACONTAINER" : "ASIAINSTANCE",
      secretAccessKey: `secret-${asked.length}`,
      sessionToken: `token-${asked.length}`,
      expiresMs: Date.now() + LIVES_MS,
    };
    grant(keys);
    const expiration = new Date(keys.expiresMs).toISOString();
    if (!isRole) {
      const { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: Token } = keys;
      response.writeHead(200, { "content-type": "application/json" });
      const Code = "Success";
      return response.end(JSON.stringify({ Code, AccessKeyId, SecretAccessKey, Token, Expiration: expiration }));
    }
    response.writeHead(200, { "content-type": "text/xml" });
    return response.end(
      `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result><Credentials><AccessKeyId>${keys.accessKeyId}</AccessKeyId><SecretAccessKey>${keys.secretAccessKey}</SecretAccessKey><SessionToken>${keys.sessionToken}</SessionToken><Expiration>${expiration}</Expiration></Credentials><AssumedRoleUser><Arn>arn:aws:sts::123456789012:assumed-role/gateway/turngate</Arn><AssumedRoleId>A:turngate</AssumedRoleId></AssumedRoleUser></${action}Result></${action}Response>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    fail() {
      isDown = true;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sets variables of the process; returns what puts them back. */
export function setVariables(variables: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}
