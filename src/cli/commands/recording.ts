// turngate record, turngate replay
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import type { Recorded } from "../../boot/recording/record.ts";
import type { Replay } from "../../boot/recording/replay.ts";
import { OperatorError, reasonOf } from "../../../packages/kit/operator-error.ts";
import { jsonOf, prints } from "../../../packages/kit/output.ts";

interface RecordOptions {
  readonly input?: string;
  readonly body?: string;
  readonly output: string;
  readonly target?: string;
  readonly force?: boolean;
}

export function addRecording(program: Command): void {
  program
    .command("record")
    .description("call a model once and write the exchange with its provider to a fixture, without secrets and content")
    .argument("<model>", "a model of the configuration")
    .option("--input <text>", "the input of the request")
    .option("--body <file>", "the body of a POST /v1/responses, in place of --input")
    .requiredOption("--output <file>", "the fixture to write")
    .option("--target <target>", "of a model with targets: which one to call (default: the first)")
    .option("--force", "replace the file if it exists")
    .action(prints(recordTurn, describeRecorded));
  program
    .command("replay")
    .description("play a fixture without network; exits non-zero if its outcome differs or depends on the chunks")
    .argument("<fixture>", "a file of `record`")
    .action(prints(replayFile, describeReplay, judgeReplay));
}

async function recordTurn(model: string, options: RecordOptions): Promise<Recorded> {
  const { input, body, output, target = null, force = false } = options;
  if ((input === undefined) === (body === undefined)) throw new OperatorError("Give --input or --body.");
  const create = body === undefined ? Buffer.from(JSON.stringify({ input })) : readNamed(body);
  const { record } = await import("../../boot/recording/record.ts");
  return record({ model, target, create, file: output, mayReplace: force });
}

function describeRecorded({ file, provider, upstream_model: upstreamModel, ...recorded }: Recorded): string {
  const { provider_status: providerStatus, chunks, status, code, differs } = recorded;
  const ended = code === null ? status : `${status} (${code})`;
  const warning = differs === null ? "" : `Its replay differs from what happened, at ${differs}.\n`;
  return (
    `Recorded ${upstreamModel} at ${provider}: status ${providerStatus}, ${chunks} chunks, ${ended}.\n` +
    `${file} has no key, and other texts in place of what was said. Read it before you pass it on.\n${warning}`
  );
}

async function replayFile(file: string): Promise<Replay> {
  const { openFixture, replay } = await import("../../boot/recording/replay.ts");
  return replay(openFixture(file, readNamed(file).toString("utf8")));
}

const CUTS = { whole: "in one piece", recorded: "as recorded", bytes: "byte by byte" } as const;

function describeReplay({ events, response, differences, unexpected }: Replay): string {
  const lines = events.map((event) => `${JSON.stringify(event)}\n`);
  const { error } = response;
  const ended = error === null ? response.status : `${response.status}: ${error.code}: ${error.message}`;
  const cuts = differences.map(({ chunks, at }) => `Differs ${CUTS[chunks]} from as recorded, at ${at}\n`);
  const same = "The same in one piece, as recorded and byte by byte.\n";
  const expected = unexpected === null ? "As the fixture expects.\n" : `Not as the fixture expects: ${unexpected}\n`;
  return `${lines.join("")}\n${jsonOf(response)}\n${ended}\n${cuts.length === 0 ? same : cuts.join("")}${expected}`;
}

function judgeReplay({ differences, unexpected }: Replay): void {
  if (differences.length > 0) throw new OperatorError("the output depends on the boundaries of the chunks.");
  if (unexpected !== null) throw new OperatorError("the outcome is not the one that the fixture expects.");
}

function readNamed(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new OperatorError(`${file} can't be read (${reasonOf(error)}).`, { cause: error });
  }
}
