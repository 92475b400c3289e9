// What a recording keeps of this wire (recording/fields.ts).
import type { RecordedFields } from "../recording/fields.ts";

export const RECORDED_FIELDS: RecordedFields = {
  kept: [
    "type",
    "role",
    "model",
    "id",
    "tool_use_id",
    "request_id",
    "stop_reason",
    "effort",
    "display",
    "service_tier",
    "prefix_mismatch_behavior",
    "mismatch_behavior",
    "reason",
    "anthropic_version",
    "anthropic_beta",
    "error_code",
    "__type",
    "status",
  ],
  names: ["name"],
  schemas: ["input_schema", "format.schema"],
  values: ["input"],
  deltas: ["delta.text", "delta.partial_json", "delta.thinking", "delta.signature"],
  messages: ["error.message", "message", "Message"],
  headers: ["anthropic-version", "anthropic-beta"],
};
