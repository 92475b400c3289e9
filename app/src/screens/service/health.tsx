// How the service is now: its providers, its processes and what runs.
import { useQuery } from "@tanstack/react-query";
import { LIVE_MS, nodesQuery, providersQuery } from "../../api/queries.ts";
import { Card } from "../../parts/card.tsx";
import { formatCount } from "../../parts/format.ts";
import { TextLink } from "../../parts/link.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { AllRunningNow } from "../running/running.tsx";
import { hasFailedLast } from "./provider-state.tsx";

export function Health() {
  const providers = useQuery({ ...providersQuery, refetchInterval: LIVE_MS });
  const nodes = useQuery({ ...nodesQuery, refetchInterval: LIVE_MS });
  return (
    <>
      <div className="cards">
        <Loaded query={providers}>
          {(data) => {
            const failing = data.filter(hasFailedLast);
            const resting = data.flatMap(({ targets }) => targets.filter(({ state }) => state !== "closed"));
            return (
              <Card
                title="Providers"
                figure={`${formatCount(data.length - failing.length)} of ${formatCount(data.length)}`}
              >
                {failing.length === 0
                  ? "None failed at its last call"
                  : `Failed at the last call: ${failing.map(({ name }) => name).join(", ")}`}
                {resting.length > 0 && `; ${formatCount(resting.length)} targets rest`}.{" "}
                <TextLink to="/service" search={{ tab: "providers" }}>
                  Providers
                </TextLink>
              </Card>
            );
          }}
        </Loaded>
        <Loaded query={nodes}>
          {({ data, this_process: { name, version } }) => {
            const serving = data.filter(({ state }) => state === "serving").length;
            return (
              <Card title="Nodes" figure={data.length === 0 ? "1" : formatCount(serving)}>
                Turngate {version}; <code>{name}</code> answers.{" "}
                <TextLink to="/service" search={{ tab: "nodes" }}>
                  Nodes
                </TextLink>
              </Card>
            );
          }}
        </Loaded>
      </div>
      <AllRunningNow />
    </>
  );
}
