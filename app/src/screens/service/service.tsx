// The service as a whole, for the operator, in tabs that stand in the address.
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Screen } from "../../parts/screen.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { AllTokens } from "../members/tokens.tsx";
import { readServiceSearch, type ServiceTab } from "../search.ts";
import { ConfigurationShown } from "./configuration.tsx";
import { Health } from "./health.tsx";
import { Integrity } from "./integrity.tsx";
import { Nodes } from "./nodes.tsx";
import { Operators } from "./operators.tsx";
import { Providers } from "./providers.tsx";

const TABS: readonly { readonly name: ServiceTab; readonly title: string }[] = [
  { name: "health", title: "Health" },
  { name: "providers", title: "Providers" },
  { name: "nodes", title: "Nodes" },
  { name: "access", title: "Operators and tokens" },
  { name: "integrity", title: "Integrity" },
  { name: "configuration", title: "Configuration" },
];

const PANELS: Readonly<Record<ServiceTab, () => ReactNode>> = {
  health: () => <Health />,
  providers: () => <Providers />,
  nodes: () => <Nodes />,
  access: () => (
    <>
      <Operators />
      <AllTokens />
    </>
  ),
  integrity: () => <Integrity />,
  configuration: () => <ConfigurationShown />,
};

export function Service() {
  const { tab = "health" } = useSearch({ strict: false, select: readServiceSearch });
  const navigate = useNavigate();
  return (
    <Screen title="Service">
      <Tabs
        label="Parts of the service"
        tabs={TABS}
        chosen={tab}
        onChoose={(name) => void navigate({ to: "/service", search: { tab: name }, replace: true })}
      >
        {PANELS[tab]()}
      </Tabs>
    </Screen>
  );
}
