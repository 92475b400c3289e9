// A path that is not served: authentication precedes routing inside /v1. @spec what-the-service-does
import { notFound } from "../contract/errors.ts";
import { authenticate } from "./admission/admit.ts";
import type { Gateway } from "./gateway.ts";

/** Refuses 401 a bad key, else the uniform 404. */
export async function refuseUnknownRoute(gateway: Gateway, authorization: readonly string[]): Promise<never> {
  await authenticate(gateway.world, authorization);
  throw notFound();
}
