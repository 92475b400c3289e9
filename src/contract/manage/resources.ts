// The 200 responses of the management interface. Times are Unix seconds, credits decimal numbers, days UTC days.
import Type, { type TSchema } from "typebox";
import { Reconciliation, TransferPage } from "./ledger.ts";
import { NodeList } from "./nodes.ts";
import { RejectionDetail, RejectionPage } from "./rejections.ts";
import { AllRunning, Running } from "./running.ts";
import { TurnCounts, TurnDetail, TurnGroups, TurnPage, TurnSummary } from "./turns.ts";
import { UsageList } from "./usage.ts";

const Erased = Type.Object({ erased: Type.Integer({ description: "number of rows" }) });

/** By the names of their OpenAPI components. */
export const MANAGE_SHAPES = {
  UsageList,
  Running,
  TransferPage,
  TurnPage,
  TurnDetail,
  TurnCounts,
  TurnGroups,
  TurnSummary,
  RejectionPage,
  RejectionDetail,
  NodeList,
  AllRunning,
  Erased,
  Reconciliation,
} satisfies Readonly<Record<string, TSchema>>;

export type ManageShape = keyof typeof MANAGE_SHAPES;
