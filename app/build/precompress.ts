// Writes every built file a second and a third time, compressed as much as possible: the server sends them as they are.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** A plugin that leaves `name.br` and `name.gz` beside each file of the build. */
export function precompress(): Plugin {
  return {
    name: "precompress",
    apply: "build",
    async writeBundle({ dir = "" }) {
      const entries = await readdir(dir, { recursive: true, withFileTypes: true });
      const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
      await Promise.all(paths.filter((path) => !/\.(?:br|gz)$/.test(path)).map(compress));
    },
  };
}

async function compress(path: string): Promise<void> {
  const bytes = await readFile(path);
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  await Promise.all([
    writeFile(`${path}.br`, await brotli(bytes, { params })),
    writeFile(`${path}.gz`, await zip(bytes, { level: 9 })),
  ]);
}
