// The allowances of organizations and keys: of requests, one for each class of operation, and of tokens. @spec limits
import type { AllowanceClass } from "../../contract/routes.ts";
import {
  type Allowance,
  type AllowanceStanding,
  type AllowanceVerdict,
  drawAllowance,
  drawTokens,
  peekAllowance,
  returnToAllowance,
} from "../../core/access/allowance.ts";
import type { Clock } from "../../ports/clock.ts";

/** What drawing a request brought, and what is left. */
type Draw = Omit<AllowanceVerdict, "allowance" | "granted">;

/** What drawing tokens brought. */
export type TokenDraw = Pick<AllowanceVerdict, "isGranted" | "retryAfterMs">;

/** The allowances of this process, or this process's part in those that nodes share. An owner is an organization or a key. */
export interface Allowances {
  /** Draws one request; the verdict tells whether it is granted. */
  draw(ownerId: string, allowanceClass: AllowanceClass, perMinute: number): Draw | Promise<Draw>;
  /** The rest of an allowance, as far as this process knows. */
  look(ownerId: string, allowanceClass: AllowanceClass, perMinute: number): AllowanceStanding;
  /** Draws all of these tokens, or none. */
  drawTokens(ownerId: string, perMinute: number, tokens: number): TokenDraw | Promise<TokenDraw>;
  /** Returns tokens that were drawn and not used; a negative number takes what was used beyond. */
  returnTokens(ownerId: string, perMinute: number, tokens: number): void | Promise<void>;
}

/** Allowances start full and are kept in memory: a restart resets them. */
export function createAllowances(clock: Clock): Allowances {
  const drawn: Record<AllowanceClass | "tokens", Map<string, Allowance>> = {
    create: new Map(),
    retrieve: new Map(),
    delete: new Map(),
    tokens: new Map(),
  };
  const { tokens: ofTokens } = drawn;
  return {
    draw(ownerId, allowanceClass, perMinute) {
      const ofClass = drawn[allowanceClass];
      const verdict = drawAllowance(ofClass.get(ownerId), perMinute, clock.monotonicMs());
      ofClass.set(ownerId, verdict.allowance);
      return verdict;
    },
    look: (ownerId, allowanceClass, perMinute) =>
      peekAllowance(drawn[allowanceClass].get(ownerId), perMinute, clock.monotonicMs()),
    drawTokens(ownerId, perMinute, tokens) {
      const verdict = drawTokens(ofTokens.get(ownerId), perMinute, clock.monotonicMs(), tokens);
      ofTokens.set(ownerId, verdict.allowance);
      return verdict;
    },
    returnTokens(ownerId, perMinute, tokens) {
      ofTokens.set(ownerId, returnToAllowance(ofTokens.get(ownerId), perMinute, clock.monotonicMs(), tokens));
    },
  };
}
