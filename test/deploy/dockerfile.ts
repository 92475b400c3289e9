// Reads deploy/Dockerfile, as far as that file goes: stages, and their instructions with arguments inserted.
import { readFileSync } from "node:fs";

export const DOCKERFILE = new URL("../../deploy/Dockerfile", import.meta.url);

export interface Instruction {
  /** FROM, RUN, COPY, … */
  readonly word: string;
  /** What follows it, on one line. */
  readonly rest: string;
}

export interface Stage {
  /** Null for the last one, which is the image. */
  readonly name: string | null;
  readonly base: string;
  readonly instructions: readonly Instruction[];
}

export function readDockerfile(text = readFileSync(DOCKERFILE, "utf8")): readonly Stage[] {
  const variables = new Map<string, string>();
  const stages: { name: string | null; base: string; instructions: Instruction[] }[] = [];
  const lines = text
    .replace(/^#.*\n/gm, "")
    .replace(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "");
  for (const line of lines) {
    const [word = "", ...others] = line.split(" ");
    const rest = others.join(" ");
    if (word === "ARG" && stages.length === 0) {
      const [name = "", value = ""] = rest.split("=");
      variables.set(name, value);
    } else if (word === "FROM") {
      const [base = "", , name = null] = rest.split(" ");
      const inserted = base.replace(/\$\{(\w+)\}/g, (_, variable: string) => variables.get(variable) ?? "");
      stages.push({ name, base: inserted, instructions: [] });
    } else stages.at(-1)?.instructions.push({ word, rest });
  }
  return stages;
}

/** The words of an instruction in its JSON form. */
export function wordsOf({ rest }: Instruction): readonly string[] {
  return JSON.parse(rest.slice(rest.indexOf("[")).replace(/^CMD /, "")) as string[];
}

/** The instructions of one kind. */
export function listOf({ instructions }: Stage, word: string): readonly Instruction[] {
  return instructions.filter((instruction) => instruction.word === word);
}

/** The variables that ENV sets. */
export function environmentOf(stage: Stage): ReadonlyMap<string, string> {
  return new Map(
    listOf(stage, "ENV").flatMap(({ rest }) =>
      Array.from(rest.matchAll(/(\w+)=(\S+)/g), ([, name = "", value = ""]) => [name, value] as const),
    ),
  );
}

/** Sources and target of a COPY, and the stage that it copies from. */
export function copyOf({ rest }: Instruction): { from: string | null; sources: readonly string[]; target: string } {
  const words = rest.split(" ");
  const from = words[0]?.startsWith("--from=") ? (words.shift()?.slice("--from=".length) ?? null) : null;
  return { from, sources: words.slice(0, -1), target: words.at(-1) ?? "" };
}
