// Random programs of requests about histories. A request names its target by its distance from the newest.
import fc from "../support/fast-check.ts";

/** One step of a model. */
export type Step =
  | { readonly do: "text"; readonly text: string }
  | { readonly do: "refusal" | "reasoning" }
  | { readonly do: "call" | "cut call"; readonly callId: string };

/** `same call`: one whose call_id was used before, as some servers do. */
type DrawnStep = Step["do"] | "same call";

export type Ending = "finished" | "incomplete" | "provider_error" | "provider_overloaded";

/** The steps of a model; before step `holdAt` it waits until the program resumes it. */
export interface Play {
  readonly steps: readonly DrawnStep[];
  readonly ending: Ending;
  readonly holdAt: number | null;
}

export type InputDraw =
  | { readonly kind: "text" | "carried" | "reference" }
  /** Results for the calls of a turn: by which route, for which of its calls, and the items beside them. */
  | {
      readonly kind: "results";
      readonly through: "maker" | "continued" | "conversation";
      readonly which: "all" | "first" | "all and another" | "another";
      readonly along: "nothing" | "text" | "everything" | "text behind";
    };

export type ItemDraw =
  | "user"
  | "assistant"
  | "system"
  | "developer"
  | "exchange"
  | "call"
  | "reasoning"
  | "waiting"
  | "nowhere";

/** `by`: 0 is the owner of what is named, others are other keys. */
export type Action =
  | {
      readonly do: "create conversation";
      readonly by: number;
      readonly items: readonly ItemDraw[];
      readonly isKeyed: boolean;
    }
  | {
      readonly do: "add items";
      readonly at: number;
      readonly by: number;
      readonly items: readonly ItemDraw[];
      readonly isKeyed: boolean;
    }
  | { readonly do: "label"; readonly at: number; readonly by: number; readonly isKeyed: boolean }
  | { readonly do: "delete item" | "retrieve item"; readonly at: number; readonly item: number; readonly by: number }
  | { readonly do: "delete conversation"; readonly at: number; readonly by: number }
  | {
      readonly do: "list";
      readonly at: number;
      readonly limit: number;
      readonly order: "asc" | "desc";
      readonly by: number;
    }
  | {
      readonly do: "create";
      readonly route: "new" | "conversation" | "previous";
      readonly at: number;
      readonly by: number;
      readonly input: InputDraw;
      readonly namesModel: boolean;
      /** Whether a user turn goes past calls that wait. */
      readonly drops: boolean;
      readonly play: Play;
      readonly stream: boolean;
      readonly isKeyed: boolean;
    }
  | { readonly do: "let go"; readonly at: number }
  | { readonly do: "retrieve" | "cancel" | "delete response"; readonly at: number; readonly by: number }
  | { readonly do: "again"; readonly at: number; readonly by: number; readonly isOther: boolean };

/** Distance of a target from the newest: mostly 0, sometimes any. */
const at = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 3, arbitrary: fc.nat(3) }, fc.nat(30));
const by = fc.oneof({ weight: 14, arbitrary: fc.constant(0) }, fc.nat(2));
const isKeyed = fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.constant(true));
const rarely = fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true));

const play: fc.Arbitrary<Play> = fc.record({
  steps: fc.oneof(
    { weight: 4, arbitrary: fc.constant<DrawnStep[]>(["text"]) },
    { weight: 2, arbitrary: fc.constant<DrawnStep[]>(["call"]) },
    { weight: 1, arbitrary: fc.constant<DrawnStep[]>(["call", "call"]) },
    { weight: 1, arbitrary: fc.constant<DrawnStep[]>(["text", "call"]) },
    {
      weight: 3,
      arbitrary: fc.array(fc.constantFrom<DrawnStep>("text", "call", "same call", "refusal", "reasoning", "cut call"), {
        maxLength: 4,
      }),
    },
  ),
  ending: fc.oneof(
    { weight: 8, arbitrary: fc.constant<Ending>("finished") },
    fc.constantFrom<Ending>("incomplete", "provider_error", "provider_overloaded"),
  ),
  holdAt: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, fc.nat(2)),
});

const input: fc.Arbitrary<InputDraw> = fc.oneof(
  { weight: 5, arbitrary: fc.constant<InputDraw>({ kind: "text" }) },
  { weight: 1, arbitrary: fc.constantFrom<InputDraw>({ kind: "carried" }, { kind: "reference" }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("results" as const),
      through: fc.constantFrom("maker" as const, "continued" as const, "conversation" as const),
      which: fc.oneof(
        { weight: 6, arbitrary: fc.constant("all" as const) },
        fc.constantFrom("first" as const, "all and another" as const, "another" as const),
      ),
      along: fc.oneof(
        { weight: 3, arbitrary: fc.constant("nothing" as const) },
        fc.constantFrom("text" as const, "everything" as const, "text behind" as const),
      ),
    }),
  },
);

const items = fc.array(
  fc.constantFrom<ItemDraw>(
    "user",
    "user",
    "assistant",
    "system",
    "developer",
    "exchange",
    "call",
    "reasoning",
    "waiting",
    "waiting",
    "nowhere",
  ),
  { maxLength: 4 },
);

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("create conversation" as const), by, items, isKeyed }) },
  { weight: 7, arbitrary: fc.record({ do: fc.constant("add items" as const), at, by, items, isKeyed }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("label" as const), at, by, isKeyed }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom("delete item" as const, "retrieve item" as const),
      at,
      item: fc.nat(20),
      by,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete conversation" as const), at: fc.nat(30), by }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("list" as const),
      at,
      limit: fc.integer({ min: 1, max: 3 }),
      order: fc.constantFrom("asc" as const, "desc" as const),
      by,
    }),
  },
  {
    weight: 30,
    arbitrary: fc.record({
      do: fc.constant("create" as const),
      route: fc.constantFrom(
        "new" as const,
        "conversation" as const,
        "conversation" as const,
        "previous" as const,
        "previous" as const,
      ),
      at,
      by,
      input,
      namesModel: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, fc.constant(false)),
      drops: rarely,
      play,
      stream: rarely,
      isKeyed,
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("let go" as const), at }) },
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constantFrom(
        "retrieve" as const,
        "cancel" as const,
        "delete response" as const,
        "delete response" as const,
      ),
      at,
      by,
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("again" as const), at, by, isOther: rarely }) },
);

/** Programs that begin with a conversation to do things with. */
export const programs: fc.Arbitrary<readonly Action[]> = fc
  .array(action, { minLength: 1, maxLength: 25, size: "max" })
  .map((actions) => [{ do: "create conversation", by: 0, items: [], isKeyed: false }, ...actions]);
