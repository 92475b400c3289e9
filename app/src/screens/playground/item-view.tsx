// The items of an output or of a conversation.
import { Code, Text } from "@mantine/core";
import { Markdown } from "../../parts/markdown.tsx";
import { Status } from "../../parts/status.tsx";
import type { Item } from "./v1.ts";

export function Items({ items }: { items: readonly Item[] }) {
  return items.map((item) => <ItemView key={item.id} item={item} />);
}

export function Refusal({ text }: { text: string }) {
  return (
    <p className="turn-text">
      <Status tone="warn">refusal</Status> {text}
    </p>
  );
}

/** An item of an output or of a conversation. */
export function ItemView({ item }: { item: Item }) {
  switch (item.type) {
    case "message":
      return item.content.map((part, index) =>
        part.type === "refusal" ? (
          <Refusal key={index} text={part.refusal} />
        ) : (
          <Markdown key={index} text={"text" in part ? part.text : ""} />
        ),
      );
    case "function_call":
      return (
        <div className="turn-call">
          <Text size="xs" c="dimmed">
            Calls a tool
          </Text>
          <Code block tabIndex={0}>{`${item.name}(${item.arguments})`}</Code>
        </div>
      );
    case "function_call_output":
      return (
        <Code block tabIndex={0}>
          {showText(item.output)}
        </Code>
      );
    default:
      return (
        <details className="turn-reasoning">
          <summary>Reasoning</summary>
          <p className="turn-text">{item.summary.map(({ text }) => text).join("\n") || "without a summary"}</p>
        </details>
      );
  }
}

/** A value of an item as text. */
export function showText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
