// The shape of the section `content_export` of turngate.yaml.
import Type from "typebox";
import { headers, integer, section } from "../../packages/kit/schema-fields.ts";

export const CONTENT_EXPORT_DEFAULTS = {
  /** Some ten thousand words. */
  turn_bytes: 65_536,
  /** 256 responses with that much content, or thousands of short ones. */
  waiting_bytes: 16_777_216,
};

export const ContentExportSection = section("export of what turns say to an OpenTelemetry collector", {
  url: Type.String({
    pattern: "^https?://[^\\s?#]+$",
    description:
      "the address that takes spans by OTLP over HTTP, an http:// or https:// address that usually ends with /v1/traces",
  }),
  headers: headers("the collector"),
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
    integer("a whole number", { minimum: 1024, maximum: 1_048_576 }, "the maximum content of a turn, in bytes"),
  ),
  waiting_bytes: Type.Optional(
    integer(
      "a whole number",
      { minimum: 1_048_576, maximum: 1_073_741_824 },
      "the most that waits for the collector, in bytes; turns beyond it are not exported",
    ),
  ),
});
