// The end of an answer that may come before its request has.
import type { ServerResponse } from "node:http";

/**
 * Sends the last of an answer whose length its head has told. A request that is still coming is read to its end and thrown away before
 * the answer counts as over: where the connection ends with it (`Connection: close`, which proxies like to send), Node would cut off a
 * client in the middle of sending, which then sees a broken pipe and not the answer. A request may take its 30 seconds, no longer.
 */
export function endAnswer(response: ServerResponse, text: string): void {
  const { req: request } = response;
  if (request.complete) {
    response.end(text);
    return;
  }
  response.write(text);
  // Whichever comes: the rest of the request, or the end of its connection.
  const end = () => response.end();
  request.once("end", end).once("close", end).resume();
}
