// All turns of a chat as a tree: a click shows the path to one.
import { Text } from "@mantine/core";
import { showText } from "./item-view.tsx";
import { continuationsOf, type Turn } from "./turns.ts";
import type { Chat } from "./use-chat.ts";

export function Branches({ chat: { turns, path, show } }: { chat: Chat }) {
  if (turns.size === 0) return <Text size="sm">Each response that is continued twice begins a branch. None yet.</Text>;
  const shown = new Set(path.map(({ id }) => id));
  return (
    <nav aria-label="Branches">
      <Continued turns={turns} parent={null} shown={shown} onShow={show} />
    </nav>
  );
}

/** The turns that continue one. A single one stands below it; several are branches, each in a list of its own. */
function Continued({
  turns,
  parent,
  shown,
  onShow,
}: {
  turns: ReadonlyMap<number, Turn>;
  parent: number | null;
  shown: ReadonlySet<number>;
  onShow: (id: number) => void;
}) {
  const continuations = continuationsOf(turns, parent);
  if (continuations.length === 0) return null;
  return (
    <ul className={continuations.length > 1 ? "branches branches-parted" : "branches"}>
      {continuations.map((turn) => (
        <li key={turn.id}>
          <button
            type="button"
            className="branch"
            aria-current={shown.has(turn.id) ? "true" : undefined}
            onClick={() => onShow(turn.id)}
          >
            {turn.id} <span>{firstWords(turn)}</span>
          </button>
          <Continued turns={turns} parent={turn.id} shown={shown} onShow={onShow} />
        </li>
      ))}
    </ul>
  );
}

/** What was sent, as far as a line has room: the style cuts it. */
function firstWords({ request: { input } }: Turn): string {
  if (typeof input === "string") return input;
  const [item] = input;
  if (item === undefined) return "not given back";
  return "output" in item ? `output: ${showText(item.output)}` : showText("content" in item ? item.content : item);
}
