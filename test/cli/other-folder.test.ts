// A clone's command that is started in another folder, as in the image and under systemd.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { readOutcome } from "./command-line.ts";

const COMMAND = fileURLToPath(new URL("../../bin/turngate.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "turngate-elsewhere-"));
after(() => rmSync(folder, { recursive: true, force: true }));
// The command's first line asks for `node`.
const PATH = `${dirname(process.execPath)}:${process.env["PATH"]}`;
const bin = join(folder, "bin");
mkdirSync(bin);
symlinkSync(COMMAND, join(bin, "turngate"));

for (const [name, path, command] of [
  ["the file in bin/", PATH, COMMAND],
  ["turngate, if that is installed", `${bin}:${PATH}`, "turngate"],
] as const) {
  test(`the first start prints commands that work as pasted: ${name}`, async () => {
    const cwd = mkdtempSync(join(folder, "data-"));
    const options = { cwd, env: { PATH: path, PORT: "0", MANAGE_PORT: "0" } };
    const child = spawn(COMMAND, ["serve"], options);
    const ended = readOutcome(child);
    try {
      let said = "";
      for await (const chunk of child.stderr) {
        said += chunk;
        if (said.includes("Try it:")) break;
      }
      const printed = Array.from(said.matchAll(/`(.+)` creates another/g), ([, each = ""]) => each);
      assert.equal(printed.length, 2, said);
      for (const each of printed) {
        assert.ok(each.startsWith(`${command} `), each);
        // oxlint-disable-next-line no-await-in-loop -- one after the other, on one store
        await promisify(execFile)("sh", ["-c", each], options);
      }
    } finally {
      child.kill("SIGKILL");
      await ended;
    }
  });
}
