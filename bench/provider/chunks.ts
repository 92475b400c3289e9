/** What the fake provider says: OpenAI-compatible chat completion chunks, built once. */

/** Deltas of a long stream. */
export const DELTAS = 200;
/** Deltas that the provider writes at once in a burst. */
export const BURST_DELTAS = 10;
/** Deltas of a paced stream, and the time between two. */
export const PACED_DELTAS = 10;
export const PACED_MILLISECONDS = 5;
/** Stands at the start of every delta: the first one on the wire is the first delta. */
export const DELTA_MARKER = "lorem ";

/** The text of an instant answer. */
export const ANSWER = `${DELTA_MARKER}ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt.`;
const CREATED = 1_760_000_000;
const ENVELOPE = { id: "chatcmpl-bench", created: CREATED, model: "fake" };
const USAGE = { prompt_tokens: 800, completion_tokens: 200, total_tokens: 1000 };

/** The n-th delta: about 20 bytes. */
export function deltaText(index: number): string {
  return `${DELTA_MARKER}ipsum dol ${String(index).padStart(3, "0")} `;
}

/** A stream of one chunk of text, then the finish, the usage and the end. */
export const instantStream = Buffer.from(contentFrame(ANSWER, true) + endFrames());

/** A whole answer that is not streamed. */
export const instantJson = Buffer.from(
  JSON.stringify({
    ...ENVELOPE,
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: ANSWER }, finish_reason: "stop" }],
    usage: USAGE,
  }),
);

/** The writes of a stream of `deltas` deltas, `together` of them a write; the end is part of the last write. */
export function streamWrites(deltas: number, together: number): readonly Buffer[] {
  const writes: Buffer[] = [];
  for (let start = 0; start < deltas; start += together) {
    let text = "";
    for (let index = start; index < Math.min(start + together, deltas); index++) {
      text += contentFrame(deltaText(index), index === 0);
    }
    if (start + together >= deltas) text += endFrames();
    writes.push(Buffer.from(text));
  }
  return writes;
}

function contentFrame(content: string, isFirst: boolean): string {
  return chunkFrame({ index: 0, delta: isFirst ? { role: "assistant", content } : { content }, finish_reason: null });
}

function endFrames(): string {
  const usage = { ...ENVELOPE, object: "chat.completion.chunk", choices: [], usage: USAGE };
  return `${chunkFrame({ index: 0, delta: {}, finish_reason: "stop" })}data: ${JSON.stringify(usage)}\n\ndata: [DONE]\n\n`;
}

function chunkFrame(choice: object): string {
  return `data: ${JSON.stringify({ ...ENVELOPE, object: "chat.completion.chunk", choices: [choice] })}\n\n`;
}
