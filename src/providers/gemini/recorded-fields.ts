// What a recording keeps of this wire (recording/fields.ts).
import type { RecordedFields } from "../recording/fields.ts";

export const RECORDED_FIELDS: RecordedFields = {
  kept: [
    "role",
    "id",
    "finishReason",
    "blockReason",
    "modelVersion",
    "responseId",
    "status",
    "mode",
    "category",
    "probability",
    "severity",
    "modality",
    "trafficType",
    "serviceTier",
    "thinkingLevel",
    "responseMimeType",
    "@type",
    "reason",
    "domain",
    "retryDelay",
  ],
  names: ["name", "allowedFunctionNames"],
  schemas: ["parameters", "parametersJsonSchema", "responseSchema", "responseJsonSchema"],
  values: ["args", "functionResponse.response"],
  deltas: ["parts.text"],
  messages: ["message", "finishMessage", "blockReasonMessage"],
  headers: [],
};
