/** Browsers that call themselves others too, the more particular ones first. */
const BROWSERS = [
  ["Edge", /\bEdg\w*\//],
  ["Opera", /\bOPR\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|CriOS|HeadlessChrome)\//],
  ["Safari", /\bSafari\//],
] as const;
const SYSTEMS = [
  ["Android", /\bAndroid\b/],
  ["iOS", /\b(?:iPhone|iPad)\b/],
  ["macOS", /\bMac OS X\b/],
  ["Windows", /\bWindows\b/],
  ["Linux", /\bLinux\b/],
] as const;

/** A program by its user agent, such as "Chrome on Linux"; one that is no browser by the text itself. */
export function describeProgram(agent: string | null): string {
  if (agent === null) return "unknown";
  const browser = BROWSERS.find(([, pattern]) => pattern.test(agent))?.[0];
  if (browser === undefined) return agent;
  const system = SYSTEMS.find(([, pattern]) => pattern.test(agent))?.[0];
  return system === undefined ? browser : `${browser} on ${system}`;
}
