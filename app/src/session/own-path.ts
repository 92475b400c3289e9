/** Whether a value is a path of this app, and under no reading another site. */
export function isOwnPath(value: unknown): value is string {
  const base = "http://own.invalid";
  if (typeof value !== "string" || !value.startsWith("/")) return false;
  const url = URL.parse(value, base);
  // `/..//other.site` is a path here, which read again is a site.
  return url?.origin === base && !url.pathname.startsWith("//");
}
