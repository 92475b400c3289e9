// The limits that are in force for an organization, and what is used of them now.
import Type from "typebox";
import { oneOf } from "../one-of.ts";
import { ALLOWANCE_CLASSES } from "../routes.ts";
import { limitsInForce } from "./resource-fields.ts";

/** The 200 response of `GET …/limits`. */
export const LimitsNow = Type.Object({
  limits: Type.Object(limitsInForce, {
    description:
      "Those in force: the organization's own, or the service's. All but `concurrent_turns` count on all nodes together.",
  }),
  this_node: Type.Object(
    {
      allowances: Type.Array(
        Type.Object({
          class: oneOf(ALLOWANCE_CLASSES),
          used: Type.Integer({
            description:
              "requests that are not refilled yet; with several nodes what this one knew when it last drew, refilled since",
          }),
          full_in_seconds: Type.Number(),
        }),
      ),
      open_streams: Type.Integer(),
      turns: Type.Integer({ description: "turns that run or are queued" }),
    },
    { description: "On the node that answers." },
  ),
});
