// npm run test:proxies -- nginx|caddy|haproxy...: a rolling restart behind each of these programs, with the configuration
// of docs/deployment.md and deploy/compose/haproxy.cfg. They are found on the PATH. docs/reliability.md, F-34
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { until } from "../support/until.ts";
import { type Balancer, freePorts, runRolling } from "./rolling.ts";

interface Proxy {
  /** Its configuration for nodes at these ports of this machine, as the documents have it but for addresses and TLS. */
  configure(port: number, nodes: readonly number[], folder: string): string;
  /** The words that start it in the foreground with the configuration in a file. */
  words(file: string): readonly string[];
}

const PAGE = readFileSync(new URL("../../docs/deployment.md", import.meta.url), "utf8");
const HAPROXY = readFileSync(new URL("../../deploy/compose/haproxy.cfg", import.meta.url), "utf8");

const PROXIES: Record<string, Proxy> = {
  nginx: {
    configure: (port, nodes, folder) => `
      daemon off; pid ${folder}/pid; error_log stderr; events { worker_connections 1024; }
      http {
        access_log off;
        client_body_temp_path ${folder}; proxy_temp_path ${folder};
        fastcgi_temp_path ${folder}; uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
        ${withNodes(blockOf("nginx"), nodes)
          .replace("listen 443 ssl;", `listen 127.0.0.1:${port};`)
          .replaceAll(/^ *ssl_certificate.*$/gm, "")}
      }`,
    words: (file) => ["nginx", "-e", "stderr", "-c", file],
  },
  caddy: {
    configure: (port, nodes) =>
      `{\n\tadmin off\n}\n${withNodes(blockOf("caddy"), nodes).replace("api.example.com", `http://127.0.0.1:${port}`)}`,
    words: (file) => ["caddy", "run", "--adapter", "caddyfile", "--config", file],
  },
  haproxy: {
    configure: (port, nodes) =>
      withNodes(HAPROXY, nodes)
        .replace("bind :8080", `bind 127.0.0.1:${port}`)
        .replaceAll(/^(frontend|backend) management$[^]*?\n\n?(?=backend|$(?![^]))/gm, "")
        .replaceAll(" resolvers containers init-addr last,libc,none", ""),
    words: (file) => ["haproxy", "-db", "-f", file],
  },
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { clients: { type: "string", default: "12" } },
});
const print = (line: string) => process.stdout.write(`${line}\n`);
let failed = 0;
for (const name of positionals.length > 0 ? positionals : Object.keys(PROXIES)) {
  const proxy = PROXIES[name];
  if (proxy === undefined) throw new Error(`${name} is none of ${Object.keys(PROXIES).join(", ")}`);
  print(`rolling restart behind ${name}`);
  // oxlint-disable-next-line no-await-in-loop -- one after the other: two cores
  const { answered, violations } = await runRolling(Number(values.clients), print, (nodes) => start(proxy, nodes));
  print(`${answered} requests answered, ${violations.length} failed`);
  for (const violation of violations.slice(0, 20)) print(violation);
  failed += violations.length;
}
process.exit(failed === 0 ? 0 : 1);

async function start(proxy: Proxy, nodes: readonly number[]): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), "turngate-proxy-"));
  const [port = 0] = await freePorts(1);
  const file = join(folder, "configuration");
  writeFileSync(file, proxy.configure(port, nodes, folder));
  const [command = "", ...words] = proxy.words(file);
  const child = spawn(command, words, { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const ended = once(child, "close");
  void ended.then(() => process.env["PROXY_SAYS"] && process.stderr.write(said));
  const url = `http://127.0.0.1:${port}`;
  await until("the proxy listens", async () => {
    if (child.exitCode !== null) throw new Error(`${command} ended: ${said}`);
    return fetch(`${url}/v1/models`).then(
      ({ status }) => status === 401,
      () => false,
    );
  });
  return {
    baseUrl: `${url}/v1`,
    async stop() {
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The fenced block of the page in a language. */
function blockOf(language: string): string {
  const block = new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, "m").exec(PAGE)?.[1];
  if (block === undefined) throw new Error(`docs/deployment.md has no block in ${language}`);
  return block;
}

/** A configuration with these ports in place of the nodes' names. */
function withNodes(configuration: string, nodes: readonly number[]): string {
  return configuration.replaceAll(/node-(\d):8080/g, (_, number: string) => `127.0.0.1:${nodes[Number(number) - 1]}`);
}
