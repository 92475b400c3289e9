import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../contract/errors.ts";
import { assertIntended, assertNotCrossSite } from "./same-origin.ts";

const OWN = "http://127.0.0.1:8081";
type Evidence = Parameters<typeof assertIntended>[0];
const NONE: Evidence = { csrfToken: null, origin: null, fetchSite: null };

function passes(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === "access_denied");
    return false;
  }
}

const ROWS: readonly (readonly [string, Partial<Evidence>, boolean, boolean])[] = [
  ["no header", {}, false, true],
  ["the session's token", { csrfToken: "right" }, true, true],
  ["another token", { csrfToken: "wrong", fetchSite: "same-origin" }, false, true],
  ["the browser says same-origin", { fetchSite: "same-origin", origin: OWN }, true, true],
  ["the browser says cross-site", { fetchSite: "cross-site", origin: OWN }, false, false],
  ["the browser says same-site: another port of this machine", { fetchSite: "same-site" }, false, false],
  ["an older browser names our origin", { origin: OWN }, true, true],
  ["an older browser names another origin", { origin: "http://127.0.0.1:3000" }, false, false],
  ["a page without origin", { origin: "null" }, false, false],
];

for (const [what, given, isMeant, isOurs] of ROWS) {
  test(`${what}: a change ${isMeant ? "passes" : "does not"}, a sign-in ${isOurs ? "passes" : "does not"}`, () => {
    const evidence = { ...NONE, ...given };
    assert.equal(
      passes(() => assertIntended(evidence, OWN, (token) => token === "right")),
      isMeant,
    );
    assert.equal(
      passes(() => assertNotCrossSite(evidence, OWN)),
      isOurs,
    );
  });
}
