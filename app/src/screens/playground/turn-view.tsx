// One turn: its input, its output, and its actions.
import { Button, Code, Group, Stack, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import { mayRetry } from "../../api/failure.ts";
import { BusyButton } from "../../parts/busy-button.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { Status } from "../../parts/status.tsx";
import { Items, Refusal, showText } from "./item-view.tsx";
import { isUnanswered, type Turn } from "./turns.ts";
import type { CreateBody, FunctionCall, Response } from "./v1.ts";

export interface TurnActions {
  readonly onStop: () => void;
  /** The next turn continues this one. */
  readonly onShow: (id: number) => void;
  /** Shows the branch that begins with another turn. */
  readonly onBranch: (id: number) => void;
  /** Shows the wire of this turn. */
  readonly onWire: (turn: Turn) => void;
  /** Sends the outputs of the calls. */
  readonly onOutputs: (outputs: CreateBody["input"]) => void;
  /** Sends the request of a turn that got no response once more. */
  readonly onSendAgain: (turn: Turn) => void;
}

export function TurnView({
  turn,
  siblings,
  isLast,
  calls,
  isBusy,
  actions,
}: {
  turn: Turn;
  /** The turns that continue the same one, this one among them. */
  siblings: readonly Turn[];
  isLast: boolean;
  /** The calls that wait for outputs. */
  calls: readonly FunctionCall[];
  /** The chat waits for a response. */
  isBusy: boolean;
  actions: TurnActions;
}) {
  const { response, isRunning } = turn;
  const status = response?.status ?? (isRunning ? "sent" : turn.isReadBack ? "read back" : "error");
  return (
    <article className="turn" aria-label={`Response ${turn.id}`} aria-busy={isRunning}>
      <Sent input={turn.request.input} />
      <div className="turn-answer">
        <Output turn={turn} />
        {turn.failure !== null && <ErrorNotice error={turn.failure} />}
        {response?.error != null && (
          <Text size="sm">
            Failed with <Code>{response.error.code}</Code>: {response.error.message}
          </Text>
        )}
        {response?.incomplete_details != null && (
          <Text size="sm">
            Incomplete: <Code>{response.incomplete_details.reason}</Code>
          </Text>
        )}
        {response !== null && <Warnings response={response} />}
      </div>
      <Group gap="xs">
        <Status tone={toneOf(status)}>{status}</Status>
        <Text size="xs" c="dimmed">
          {response?.model ?? turn.request.model}
        </Text>
        {isRunning && (
          <Button size="xs" variant="default" disabled={response === null} onClick={actions.onStop}>
            Stop
          </Button>
        )}
        {isLast && isUnanswered(turn) && mayRetry(turn.failure) && (
          <Button
            size="xs"
            variant="default"
            aria-label={`Send again: response ${turn.id}`}
            onClick={() => actions.onSendAgain(turn)}
          >
            Send again
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          aria-label={`Wire of response ${turn.id}`}
          onClick={() => actions.onWire(turn)}
        >
          Wire
        </Button>
        {siblings.length > 1 && <Siblings turn={turn} siblings={siblings} onChoose={actions.onBranch} />}
        {!isLast && !isUnanswered(turn) && (
          <Button
            size="xs"
            variant="default"
            aria-label={`Branch from here: response ${turn.id}`}
            onClick={() => actions.onShow(turn.id)}
          >
            Branch from here
          </Button>
        )}
      </Group>
      {calls.length > 0 && <CallOutputs calls={calls} isBusy={isBusy} onOutputs={actions.onOutputs} />}
    </article>
  );
}

function toneOf(status: string): "good" | "bad" | "warn" | "calm" {
  if (status === "completed") return "good";
  if (status === "failed" || status === "error") return "bad";
  return status === "incomplete" || status === "cancelled" ? "warn" : "calm";
}

/** Goes to the branches beside this one. */
function Siblings({
  turn,
  siblings,
  onChoose,
}: {
  turn: Turn;
  siblings: readonly Turn[];
  onChoose: (id: number) => void;
}) {
  const at = siblings.findIndex(({ id }) => id === turn.id);
  const step = (by: number, label: string, sign: string) => {
    const other = siblings[at + by];
    return (
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`${label} branch of response ${turn.id}`}
        disabled={other === undefined}
        onClick={() => other !== undefined && onChoose(other.id)}
      >
        {sign}
      </Button>
    );
  };
  return (
    <Group gap={4} role="group" aria-label={`Branch ${at + 1} of ${siblings.length}`}>
      {step(-1, "Previous", "‹")}
      <Text size="xs" c="dimmed">
        {at + 1} of {siblings.length}
      </Text>
      {step(1, "Next", "›")}
    </Group>
  );
}

function Sent({ input }: { input: CreateBody["input"] }) {
  if (typeof input === "string") {
    return (
      <div className="turn-sent">
        <Text size="xs" c="dimmed">
          You
        </Text>
        <p className="turn-text">{input}</p>
      </div>
    );
  }
  if (input.length === 0) {
    return (
      <Text size="xs" c="dimmed">
        The service gives back what was sent for conversations only.
      </Text>
    );
  }
  return input.map((item, index) => (
    <div key={index} className="turn-sent">
      <Text size="xs" c="dimmed">
        {"type" in item && item.type === "function_call_output" ? "Output of a tool" : "You"}
      </Text>
      <p className="turn-text">
        {"output" in item ? showText(item.output) : showText("content" in item ? item.content : item)}
      </p>
    </div>
  ));
}

/** While it runs, the items so far and the text of the one that arrives; then the items of the response. */
function Output({ turn }: { turn: Turn }) {
  const { response, isRunning, items, text, refusal } = turn;
  if (isRunning || response === null || response.output.length === 0) {
    return (
      <>
        <Items items={items} />
        {text !== "" && <Markdown text={text} />}
        {refusal !== "" && <Refusal text={refusal} />}
      </>
    );
  }
  return <Items items={response.output} />;
}

/** What the service has to say about a response. */
function Warnings({ response }: { response: Response }) {
  const { "svc:warnings": warnings = [] } = response;
  return warnings.map(({ code, message, param }) => (
    <Text key={`${code} ${param ?? ""}`} size="sm">
      Note <Code>{code}</Code>: {message}
    </Text>
  ));
}

/** A form for the outputs of the calls. */
function CallOutputs({
  calls,
  isBusy,
  onOutputs,
}: {
  calls: readonly FunctionCall[];
  isBusy: boolean;
  onOutputs: (outputs: CreateBody["input"]) => void;
}) {
  const [outputs, setOutputs] = useState<Readonly<Record<string, string>>>({});
  const send = () =>
    onOutputs(
      calls.map(({ call_id: callId }) => ({
        type: "function_call_output" as const,
        call_id: callId,
        output: outputs[callId] ?? "",
      })),
    );
  return (
    <Stack gap="sm">
      {calls.map(({ call_id: callId, name }) => (
        <Textarea
          key={callId}
          label={`Output of ${name}`}
          value={outputs[callId] ?? ""}
          onChange={({ currentTarget: { value } }) => setOutputs((before) => ({ ...before, [callId]: value }))}
        />
      ))}
      <div>
        <BusyButton isBusy={isBusy} onClick={send}>
          Send the outputs
        </BusyButton>
      </div>
    </Stack>
  );
}
