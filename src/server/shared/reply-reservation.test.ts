// docs/reliability.md, A-10
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { FairCapacity } from "../../base/fair-capacity.ts";
import { ApiError } from "../../contract/errors.ts";
import { ReplyReservation } from "./reply-reservation.ts";

const MIB = 1024 * 1024;
const owner = (organizationId: string) => ({ organizationId, keyId: `key of ${organizationId}` });
const isOverloaded = (error: unknown) => error instanceof ApiError && error.code === "gateway_overloaded";

function reply(capacity: FairCapacity) {
  const response = Object.assign(new EventEmitter(), { closed: false });
  return { response, reservation: new ReplyReservation(capacity, response as unknown as ServerResponse) };
}

test("a reply keeps its reservation until it is sent, and grows", () => {
  const capacity = new FairCapacity(100 * MIB, 64 * 1024);
  const { response, reservation } = reply(capacity);
  reservation.growTo(owner("a"), 10 * MIB);
  reservation.growTo(owner("a"), 5 * MIB);
  assert.equal(capacity.held, 10 * MIB);
  reservation.growTo(owner("a"), 20 * MIB);
  assert.equal(capacity.held, 20 * MIB);
  response.emit("close");
  assert.equal(capacity.held, 0);
});

test("without capacity it is 503 and takes nothing; another organization still has some", () => {
  const capacity = new FairCapacity(100 * MIB, 64 * 1024);
  for (let sent = 0; sent < 7; sent++) reply(capacity).reservation.growTo(owner("a"), 10 * MIB);
  assert.throws(() => reply(capacity).reservation.growTo(owner("a"), 10 * MIB), isOverloaded);
  assert.equal(capacity.held, 70 * MIB);
  reply(capacity).reservation.growTo(owner("b"), 10 * MIB);
  assert.equal(capacity.held, 80 * MIB);
});

test("a reply larger than any share is sent when nothing else is", () => {
  const capacity = new FairCapacity(10 * MIB, 64 * 1024);
  const { response, reservation } = reply(capacity);
  reservation.growTo(owner("a"), 30 * MIB);
  assert.throws(() => reply(capacity).reservation.growTo(owner("b"), 30 * MIB), isOverloaded);
  response.emit("close");
  reply(capacity).reservation.growTo(owner("b"), 30 * MIB);
});

test("a client that is gone already keeps nothing", () => {
  const capacity = new FairCapacity(10 * MIB, 64 * 1024);
  const { response, reservation } = reply(capacity);
  response.closed = true;
  reservation.growTo(owner("a"), MIB);
  assert.equal(capacity.held, 0);
});
