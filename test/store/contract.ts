// The contract of the store's port: the same suites run against every implementation (docs/architecture.md, Storage).
import { testAccounts } from "./contract/accounts.ts";
import { testBranches } from "./contract/branches.ts";
import { testBudgetRaises } from "./contract/budget-raises.ts";
import { testBudgetHolds } from "./contract/budget-holds.ts";
import { testCalls } from "./contract/calls.ts";
import { testClaims } from "./contract/claims.ts";
import { testConcurrentMoney } from "./contract/concurrent-money.ts";
import { testContinuation } from "./contract/continuation.ts";
import { testConversations } from "./contract/conversations.ts";
import { testDeletion } from "./contract/deletion.ts";
import { testEvents } from "./contract/events.ts";
import { testHistories } from "./contract/histories.ts";
import { testHolds } from "./contract/holds.ts";
import { testItemPages } from "./contract/item-pages.ts";
import { testKeyStanding } from "./contract/key-standing.ts";
import { testRejections } from "./contract/rejections.ts";
import { testRunning } from "./contract/running.ts";
import { testTransfers } from "./contract/transfers.ts";
import { testSpending } from "./contract/spending.ts";
import { testSpendingTurns } from "./contract/spending-turns.ts";
import { testTurnLog } from "./contract/turn-log.ts";
import { testTurns } from "./contract/turns.ts";
import { testRetention } from "./contract/retention.ts";
import { testUpkeep } from "./contract/upkeep.ts";
import { testUsageDays } from "./contract/usage-days.ts";
import { testViews } from "./contract/views.ts";
import type { OpenStore } from "./fixtures.ts";

/** Runs every suite against the stores that a factory opens. */
export function testStore(open: OpenStore): void {
  testAccounts(open);
  testRunning(open);
  testTransfers(open);
  testSpending(open);
  testKeyStanding(open);
  testSpendingTurns(open);
  testTurns(open);
  testTurnLog(open);
  testContinuation(open);
  testBranches(open);
  testCalls(open);
  testHistories(open);
  testViews(open);
  testConversations(open);
  testItemPages(open);
  testDeletion(open);
  testClaims(open);
  testUpkeep(open);
  testRetention(open);
  testHolds(open);
  testBudgetHolds(open);
  testBudgetRaises(open);
  testConcurrentMoney(open);
  testUsageDays(open);
  testEvents(open);
  testRejections(open);
}
