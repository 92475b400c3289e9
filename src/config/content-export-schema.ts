// The shape of the section `content_export` of turngate.yaml.
import Type from "typebox";
import { closed, integer, section } from "./schema-fields.ts";

/** The most content of a turn by default, bytes: some ten thousand words. */
export const TURN_BYTES = 65_536;
/** The most that waits for the collector by default, bytes: 256 turns with that much content, or thousands of short ones. */
export const WAITING_BYTES = 16_777_216;

export const ContentExportSection = section("export of what turns say to an OpenTelemetry collector", {
  url: Type.String({
    pattern: "^https?://[^\\s?#]+$",
    description:
      "the address that takes spans by OTLP over HTTP, an http:// or https:// address that usually ends with /v1/traces",
  }),
  headers: Type.Optional(
    Type.Record(
      Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" }),
      Type.String({
        minLength: 1,
        description: "a string, the value of the header; ${NAME} inserts an environment variable",
      }),
      { ...closed, description: "headers by name, sent with every request to the collector" },
    ),
  ),
  organizations: Type.Union(
    [
      Type.Literal("all"),
      Type.Array(Type.String({ pattern: "^org_", description: "the id of an organization" }), {
        minItems: 1,
        uniqueItems: true,
      }),
    ],
    { description: "all, or a list of ids of the organizations whose turns are exported" },
  ),
  turn_bytes: Type.Optional(
    integer(
      "a whole number",
      { minimum: 1024, maximum: 1_048_576, default: TURN_BYTES },
      "the most content of a turn, in bytes",
    ),
  ),
  waiting_bytes: Type.Optional(
    integer(
      "a whole number",
      { minimum: 1_048_576, maximum: 1_073_741_824, default: WAITING_BYTES },
      "the most that waits for the collector, in bytes; turns beyond it are not exported",
    ),
  ),
});
