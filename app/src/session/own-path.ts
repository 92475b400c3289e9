/** Whether a value is a path of this app, and under no reading another site. */
export function isOwnPath(value: unknown): value is string {
  const base = "http://own.invalid";
  return typeof value === "string" && value.startsWith("/") && URL.parse(value, base)?.origin === base;
}
