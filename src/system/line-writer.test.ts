import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  read as readLater,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createLineWriter } from "./line-writer.ts";

const PIPE_BYTES = 64 * 1024;
/**
 * Far more than the half second that an exit waits, on however busy a machine; without a limit it would wait for ever.
 */
const LONG_MS = 30_000;
const LINE = `${"x".repeat(999)}\n`;

const lostLine = (lines: number) => `lost ${lines}\n`;

function openFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "turngate-lines-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A pipe that the test reads. */
function openPipe(t: TestContext): { descriptor: number; read: () => string } {
  const path = join(openFolder(t), "pipe");
  execFileSync("mkfifo", [path]);
  const descriptor = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  t.after(() => closeSync(descriptor));
  const buffer = Buffer.alloc(PIPE_BYTES);
  return { descriptor, read: () => buffer.toString("utf8", 0, readSync(descriptor, buffer)) };
}

/** Blocks all threads of the pool until the returned function is called. */
function holdThreads(t: TestContext): () => void {
  const path = join(openFolder(t), "nothing-to-read");
  execFileSync("mkfifo", [path]);
  const descriptor = openSync(path, constants.O_RDWR);
  const threads = Number(process.env["UV_THREADPOOL_SIZE"] ?? 4);
  let held = threads;
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  for (let thread = 0; thread < threads; thread++)
    readLater(descriptor, Buffer.alloc(1), 0, 1, null, () => --held === 0 && end());
  t.after(async () => {
    await ended;
    closeSync(descriptor);
  });
  return () => void writeSync(descriptor, "x".repeat(threads));
}

test("lines are written in order, those flushed at exit included", async (t) => {
  const path = join(openFolder(t), "log");
  const descriptor = openSync(path, "a");
  const { write, flushSync } = createLineWriter(descriptor, lostLine);
  const lines = Array.from({ length: 1000 }, (_, index) => `${index} ${LINE}`);
  for (const line of lines.slice(0, 500)) write(line);
  for (let size = 0; size < 500 * LINE.length; size = readFileSync(path).length) await nextTurn();
  for (const line of lines.slice(500)) write(line);
  flushSync();
  closeSync(descriptor);
  assert.equal(readFileSync(path, "utf8"), lines.join(""));
});

test("flushed lines follow a write in progress", async (t) => {
  const path = join(openFolder(t), "log");
  const descriptor = openSync(path, "a");
  const { write, flush } = createLineWriter(descriptor, lostLine);
  const unblock = holdThreads(t);
  write("first\n");
  await nextTurn();
  write("last\n");
  const flushed = flush();
  unblock();
  await flushed;
  closeSync(descriptor);
  assert.equal(readFileSync(path, "utf8"), "first\nlast\n");
});

test("a write that never completes does not block the exit", async (t) => {
  const descriptor = openSync(join(openFolder(t), "log"), "a");
  const { write, flush } = createLineWriter(descriptor, lostLine);
  const unblock = holdThreads(t);
  write("first\n");
  await nextTurn();
  write("last\n");
  const startedMs = performance.now();
  await flush();
  const tookMs = performance.now() - startedMs;
  unblock();
  assert.ok(tookMs < LONG_MS);
});

test("a stalled reader gets its lines when it reads again; beyond a bound they are dropped and their number is reported", async (t) => {
  const { descriptor, read } = openPipe(t);
  const { write } = createLineWriter(descriptor, lostLine);
  for (let count = 0; count < 8000; count++) write(`${String(count).padStart(4, "0")}${LINE}`);
  let text = "";
  const readUntil = async (end: string): Promise<void> => {
    while (!text.includes(end)) {
      await nextTurn();
      try {
        text += read();
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, "EAGAIN");
      }
    }
  };
  await readUntil("1000x");
  write("the next line\n");
  await readUntil("the next line\n");
  const numbers = [...text.matchAll(/^(\d{4})x{999}$/gm)].map(([, number]) => Number(number));
  assert.ok(numbers.length < 8000);
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index),
  );
  assert.match(text, new RegExp(`\nlost ${8000 - numbers.length}\nthe next line\n$`));
});

test("a stalled reader does not block the exit", (t) => {
  const { descriptor, read } = openPipe(t);
  const { write, flushSync } = createLineWriter(descriptor, lostLine);
  for (let count = 0; count < 200; count++) write(LINE);
  const startedMs = performance.now();
  flushSync();
  assert.ok(performance.now() - startedMs < LONG_MS);
  assert.equal(read().length, PIPE_BYTES);
});

test("a full disk does not block the exit", () => {
  const descriptor = openSync("/dev/full", "w");
  const { write, flushSync } = createLineWriter(descriptor, lostLine);
  write(LINE);
  flushSync();
  closeSync(descriptor);
});
