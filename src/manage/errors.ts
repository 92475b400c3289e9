// Failed responses and rejected requests in one list. docs/management.md (Failures)
import Type from "typebox";
import { FAILURE_CODES, type FailureCode } from "../contract/failures.ts";
import { ERROR_CATALOGUE, type ErrorCode } from "../contract/errors.ts";
import { FAILURE_KINDS } from "../contract/manage/failure-counts.ts";
import { TURNS_PAGE_DEFAULT, TURNS_PAGE_MAX, TURNS_READ_MAX } from "../contract/manage/limits.ts";
import { seconds } from "../contract/manage/resource-fields.ts";
import { EVERYBODY } from "../contract/manage/roles.ts";
import { oneOf, orNull } from "../contract/shapes.ts";
import { FAILURE_RULES } from "../core/explanations/failures.ts";
import { REJECTION_RULES } from "../core/explanations/rejections.ts";
import { readableMember } from "../flows/manage/principal.ts";
import { secondsOf } from "../ports/clock.ts";
import type { KeptRejection } from "../ports/store/rejections.ts";
import type { LoggedResponse } from "../ports/store/response-log.ts";
import { EVERY_CODE } from "./failures.ts";
import { pageSize, text, whole } from "./fields.ts";
import { operation, type Subject } from "./definition/operation.ts";
import { ALL_TURNS, cursorOf, FILTER_OPTIONS, readCursor, SECONDS_MAX } from "./turn-filter.ts";

const KINDS = FAILURE_KINDS.filter((kind) => kind !== "cancelled");

const ErrorEntry = Type.Object({
  kind: oneOf(KINDS, "as in the sums of failures"),
  at: seconds,
  code: oneOf(EVERY_CODE),
  rule: Type.String({ description: "what the code means, as a sentence" }),
  message: orNull(Type.String({ description: "what the client was told; null where it may quote the request" })),
  request_id: orNull(Type.String()),
  response: orNull(Type.String({ description: "the failed response; null: there is none" })),
  status: orNull(Type.Integer({ description: "of the error response; null: a response failed" })),
  model: orNull(Type.String()),
  key: Type.String(),
  key_name: orNull(Type.String()),
  skipped: Type.Integer({ description: "rejected requests of the key before this one that were not kept" }),
});

function presentRejection(rejection: KeptRejection) {
  const { provider, code, message, requestId, status, model, keyId, keyName, skipped } = rejection;
  return {
    kind: provider === null ? ("rejected" as const) : ("withdrawn" as const),
    at: secondsOf(rejection.atMs),
    code,
    rule: REJECTION_RULES[code].rule,
    message,
    request_id: requestId,
    response: null,
    status,
    model,
    key: keyId,
    key_name: keyName,
    skipped,
  };
}

function presentFailed({ id, createdAt, requestId, failureCode, model, keyId, keyName }: LoggedResponse) {
  const code = failureCode ?? "run_failed";
  return {
    kind: "failed" as const,
    at: createdAt,
    code,
    rule: FAILURE_RULES[code].rule,
    message: null,
    request_id: requestId,
    response: id,
    status: null,
    model,
    key: keyId,
    key_name: keyName,
    skipped: 0,
  };
}

const isErrorCode = (code: string): code is ErrorCode => code in ERROR_CATALOGUE;
const isFailureCode = (code: string): code is FailureCode => (FAILURE_CODES as readonly string[]).includes(code);

const listErrors = operation({
  route: "GET /organizations/:organization_id/errors",
  isLong: true,
  roles: EVERYBODY,
  summary: "List failed responses and rejected requests, newest first",
  description:
    "Both in one list, by the time at which a response began or a request was rejected. Members see those of their own keys. Rejected requests are kept as `rejections` says. A page may have fewer entries than `limit`, or none, while `has_more` is true.",
  command: {
    words: "errors",
    help: "list failed responses and rejected requests, newest first",
    options: { from: { ...FILTER_OPTIONS.from, help: "those of that time or later" }, to: FILTER_OPTIONS.to },
    whenEmpty: "No failed response and no rejected request.",
  },
  input: {
    code: Type.Optional(oneOf(EVERY_CODE)),
    model: Type.Optional(text("the full id of a model")),
    key: Type.Optional(text("the id of a key")),
    from: Type.Optional(
      whole(0, "responses that began, and requests rejected, at this Unix second or later", SECONDS_MAX),
    ),
    to: Type.Optional(whole(0, "those before this Unix second", SECONDS_MAX)),
    limit: pageSize(TURNS_PAGE_MAX, TURNS_PAGE_DEFAULT),
    before: Type.Optional(
      Type.String({
        pattern: "^(\\d{1,15}\\.\\d{1,15})?/(\\d{1,12}\\.resp_[A-Za-z0-9_-]{1,200})?$",
        description: "`older` of another page: the entries before it",
      }),
    ),
  },
  output: {
    ErrorPage: Type.Object(
      {
        data: Type.Array(ErrorEntry),
        has_more: Type.Boolean(),
        older: orNull(Type.String({ description: "`before` of the next page; null: this is the last one" })),
      },
      { description: "Newest first." },
    ),
  },
  async run(
    { store, role, session, organization },
    { code, model = null, key: keyId = null, from = null, to = null, limit, before = "/" },
  ) {
    const memberId = readableMember({ role, session });
    if (memberId === undefined) return { data: [], has_more: false, older: null };
    const [rejectedBefore = "", place = ""] = before.split("/");
    const [beforeMs = (to ?? SECONDS_MAX) * 1000, beforeId = 0] =
      rejectedBefore === "" ? [] : rejectedBefore.split(".").map(Number);
    const whose = { organizationId: organization.id, memberId, keyId, model };
    // A code of one kind only leaves the other list empty.
    const newest =
      code !== undefined && !isErrorCode(code)
        ? []
        : await store.listRejections({
            ...whose,
            code: code ?? null,
            before: { atMs: beforeMs, id: beforeId },
            limit: limit + 1,
          });
    const rejections = newest.filter(({ atMs }) => atMs >= (from ?? 0) * 1000);
    const failed =
      code !== undefined && !isFailureCode(code)
        ? { responses: [], next: null }
        : await store.listResponses({
            filter: { ...ALL_TURNS, ...whose, status: "failed", failureCode: code ?? null, from, to },
            from: place === "" ? null : { place: readCursor(place), direction: "older" },
            limit,
            readsMax: TURNS_READ_MAX,
          });
    // Older failed responses than these were not looked for yet: what was rejected before them waits for the next page.
    const knownMs = (failed.next?.createdAt ?? 0) * 1000;
    const found = [
      ...rejections.filter(({ atMs }) => atMs >= knownMs).map((row) => ({ atMs: row.atMs, rejection: row })),
      ...failed.responses.map((row) => ({ atMs: row.createdAt * 1000, response: row })),
    ].sort((a, b) => b.atMs - a.atMs);
    const page = found.slice(0, limit);
    const last = page.findLast((one) => "rejection" in one)?.rejection;
    const listed = page.filter((one) => "response" in one);
    const isWhole = listed.length === failed.responses.length;
    const lastResponse = listed.at(-1)?.response;
    const at = lastResponse && cursorOf({ createdAt: lastResponse.createdAt, responseId: lastResponse.id });
    const nextPlace = isWhole && failed.next !== null ? cursorOf(failed.next) : (at ?? place);
    const hasMore = page.length < found.length || failed.next !== null || rejections.length > limit;
    const older = `${last === undefined ? rejectedBefore : `${last.atMs}.${last.id}`}/${nextPlace}`;
    return {
      data: page.map((one) => ("rejection" in one ? presentRejection(one.rejection) : presentFailed(one.response))),
      has_more: hasMore,
      older: hasMore ? older : null,
    };
  },
});

export const ERRORS = {
  tag: "Turns",
  operations: { listErrors },
} as const satisfies Subject;
