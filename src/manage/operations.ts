// All operations that are defined in this folder; the others still stand in contract/manage and its companions.
import { BUDGETS } from "./budgets.ts";
import { listOperations } from "./operation.ts";

export type DefinedOperation = keyof typeof BUDGETS.operations;

export const OPERATIONS = listOperations<DefinedOperation>(BUDGETS);
