// The limits that are in force for an organization, and what is used of them now.
import Type from "typebox";
import { oneOf } from "../one-of.ts";
import { ALLOWANCE_CLASSES } from "../routes.ts";

/** The 200 response of `GET …/limits`. */
export const LimitsNow = Type.Object({
  limits: Type.Object(
    {
      create_per_minute: Type.Integer(),
      retrieve_per_minute: Type.Integer(),
      delete_per_minute: Type.Integer(),
      open_streams: Type.Integer(),
    },
    { description: "Those in force, for all nodes together: the organization's own, or the service's." },
  ),
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
    },
    { description: "On the node that answers." },
  ),
});
