// turngate replay: plays a fixture against the adapter of its family, without network.
import type { ResponseEvent } from "../../contract/events.ts";
import type { ResponseObject } from "../../contract/resources.ts";
import { FAMILIES } from "../../providers/families.ts";
import type { FamilyEntry, ProviderFamily } from "../../providers/family.ts";
import { type FixtureFile, modelOf, readFixture, responsesOf } from "../../providers/recording/fixture.ts";
import { createPlayer, type Cut } from "../../providers/recording/player.ts";
import { withHost } from "../../providers/registry.ts";
import { OperatorError } from "../../../packages/kit/operator-error.ts";
import { createSystemClock } from "../../system/clock.ts";
import { differenceOf } from "./difference.ts";
import { countIds, type PlayedTurn, playTurn } from "./play-turn.ts";

/** What becomes of a fixture here. */
export interface Replay extends PlayedTurn {
  /** The part of the response that follows from the fixture, as its `expected`. */
  readonly outcome: FixtureFile["expected"];
  /** Where a play of other chunks differs from that of the recorded ones. */
  readonly differences: readonly { readonly chunks: Cut; readonly at: string }[];
  /** Where the outcome differs from the one that the fixture expects; null: nowhere. */
  readonly unexpected: string | null;
}

/** The name of the provider in a replay. */
const PROVIDER = "recorded";

/** Reads a fixture. Throws an OperatorError for a text that is none, or whose family is not known. */
export function openFixture(name: string, text: string): FixtureFile {
  const fixture = readFixture(text);
  if (fixture === null) throw new OperatorError(`${name} is no fixture of \`turngate record\`, or of another version.`);
  const { hosts } = familyOf(fixture);
  const { host } = fixture;
  if (host !== undefined && hosts?.[host] === undefined) throw new OperatorError(`There is no host "${host}".`);
  return fixture;
}

/** Plays a fixture three times: as recorded, in one piece, and byte by byte. */
export async function replay(fixture: FixtureFile): Promise<Replay> {
  const recorded = await play(fixture, "recorded");
  const whole = await play(fixture, "whole");
  const bytes = await play(fixture, "bytes");
  const outcome = outcomeOf(recorded.response);
  const differences = listDifferences({ recorded, whole, bytes });
  return { ...recorded, outcome, differences, unexpected: differenceOf(fixture.expected, outcome) };
}

/** Where the plays in one piece and byte by byte differ from the recorded one. Where a delta ends does not count. */
export function listDifferences({ recorded, ...others }: Readonly<Record<Cut, PlayedTurn>>): Replay["differences"] {
  return (["whole", "bytes"] as const).flatMap((chunks) => {
    const at = differenceOf(comparable(recorded), comparable(others[chunks]));
    return at === null ? [] : [{ chunks, at }];
  });
}

async function play(fixture: FixtureFile, cut: Cut): Promise<PlayedTurn> {
  const clock = createSystemClock();
  const ids = countIds();
  const create = await familyOf(fixture).loadCreateProvider();
  const provider = create(await entryOf(fixture), { clock, ids, connect: createPlayer(responsesOf(fixture), cut) });
  const body = Buffer.from(JSON.stringify(fixture.create));
  return playTurn({ create: body, model: modelOf(fixture, PROVIDER), provider, ids, clock });
}

/** The provider of a fixture. Nothing is sent to its address, and its key needs no library. */
async function entryOf(fixture: FixtureFile): Promise<FamilyEntry> {
  const entry = { name: PROVIDER, baseUrl: "http://replay.invalid/v1", apiKey: "replay" };
  const { host: type } = fixture;
  if (type === undefined) return entry;
  const headers = { authorization: "Bearer replay" };
  const hostSettings = { type, project: "replay", region: "eu-central-1" };
  const noService = () => Promise.reject(new Error("A replay needs no credentials."));
  const services = { clock: createSystemClock(), loadLibrary: noService, fetch: noService };
  return withHost({ ...entry, headers, hostSettings, family: familyOf(fixture) }, services);
}

function familyOf({ family }: FixtureFile): ProviderFamily {
  const found = FAMILIES.find(({ type }) => type === family);
  if (found === undefined) throw new OperatorError(`There is no provider family "${family}".`);
  return found;
}

/** The part of a response that follows from what its provider sent: no times, nothing that echoes the request. */
export function outcomeOf(response: ResponseObject): FixtureFile["expected"] {
  const { status, error, incomplete_details: incompleteDetails, output, usage } = response;
  const warnings = response["svc:warnings"];
  return JSON.parse(
    JSON.stringify({ status, error, incomplete_details: incompleteDetails, output, usage, warnings }),
  ) as FixtureFile["expected"];
}

/** The events, neighbouring deltas as one, and the outcome. */
function comparable({ events, response }: PlayedTurn): unknown {
  const joined: ResponseEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    if (last !== undefined && "delta" in event && "delta" in last && continues(last, event))
      joined[joined.length - 1] = { ...last, delta: last.delta + event.delta } as ResponseEvent;
    else if (!("response" in event)) joined.push(event);
  }
  return { events: joined, ...outcomeOf(response) };
}

function continues(
  { delta: _last, ...last }: { delta: string },
  { delta: _next, ...next }: { delta: string },
): boolean {
  return JSON.stringify(last) === JSON.stringify(next);
}
