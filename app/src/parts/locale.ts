// The language of numbers and times: the browser's, as far as `Intl` knows it.

/** The first locale that `Intl` knows, else American English: a browser started under LC_ALL=C calls itself `en-US@posix`. */
export function knownLocale(named: string): string {
  try {
    return Intl.getCanonicalLocales(named)[0] ?? "en-US";
  } catch {
    return "en-US";
  }
}

/** The locale of every number and time of the app. */
export const LOCALE: string = knownLocale(globalThis.navigator?.language ?? "en-US");

/** Makes code of others, which asks the browser itself and would throw, meet a known locale too: uPlot does. */
export function mendBrowserLocale(): void {
  if (navigator.language !== LOCALE)
    Object.defineProperty(navigator, "language", { value: LOCALE, configurable: true });
}
