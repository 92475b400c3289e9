import assert from "node:assert/strict";
import { test } from "node:test";
import { mergePages } from "./merge-pages.ts";

const page = (turns: number) => `# HELP turns_total Turns that ended.
# TYPE turns_total counter
turns_total{model="a",code="{x} #\\"} y"} ${turns}

# HELP turns_running Turns that run.
# TYPE turns_running gauge
turns_running 0
`;

test("the samples of a metric stay together, each with the number of its process", () => {
  assert.equal(
    mergePages([
      { number: 1, page: page(3) },
      { number: 2, page: page(4) },
    ]),
    `# HELP turns_total Turns that ended.
# TYPE turns_total counter
turns_total{process_number="1",model="a",code="{x} #\\"} y"} 3
turns_total{process_number="2",model="a",code="{x} #\\"} y"} 4

# HELP turns_running Turns that run.
# TYPE turns_running gauge
turns_running{process_number="1"} 0
turns_running{process_number="2"} 0
`,
  );
});

test("a metric that only one process has is there once", () => {
  const only = "# HELP only_total One.\n# TYPE only_total counter\nonly_total 1\n";
  assert.match(
    mergePages([
      { number: 1, page: page(0) },
      { number: 2, page: page(0) + only },
    ]),
    /\n\n# HELP only_total One\.\n# TYPE only_total counter\nonly_total\{process_number="2"\} 1\n$/,
  );
});
