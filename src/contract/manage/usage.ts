// Usage by groups and times.
import Type from "typebox";
import { orNull } from "../or-null.ts";
import { usageSums } from "./resource-fields.ts";

const UsageRow = Type.Object({
  organization: Type.Optional(orNull(Type.String())),
  organization_name: Type.Optional(orNull(Type.String())),
  key: Type.Optional(orNull(Type.String())),
  name: Type.Optional(orNull(Type.String())),
  member: Type.Optional(orNull(Type.String())),
  email: Type.Optional(orNull(Type.String())),
  model: Type.Optional(orNull(Type.String())),
  day: Type.Optional(orNull(Type.String({ description: "a day of the zone as YYYY-MM-DD" }))),
  hour: Type.Optional(orNull(Type.String({ description: "a UTC hour as YYYY-MM-DDTHH:00Z" }))),
  month: Type.Optional(orNull(Type.String({ description: "a month of the zone as YYYY-MM" }))),
  from: Type.Optional(Type.Integer({ description: "of rows by a time: its turns began at this Unix second or later" })),
  to: Type.Optional(Type.Integer({ description: "of rows by a time: its turns began before this Unix second" })),
  ...usageSums,
});
export const UsageList = Type.Object({
  from: orNull(Type.Integer({ description: "the turns began at this Unix second or later; null: any time" })),
  to: orNull(Type.Integer({ description: "the turns began before this Unix second; null: any time" })),
  data: Type.Array(UsageRow),
});
