// A request to a service that may reject it because the machine is busy, as it may be with other tests.
import { setTimeout as sleep } from "node:timers/promises";

/** Sends a request again, as clients do, while the service says that it is overloaded. */
export async function patiently(send: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const response = await send();
    if (response.status !== 503 || !(await response.clone().text()).includes('"gateway_overloaded"')) return response;
    await sleep(100);
  }
}
