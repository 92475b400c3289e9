// The screen that follows a sign-in at the provider, which takes the browser away from the app. The tab keeps it.
const NEXT = "turngate.next";

export function keepNext(next: string | undefined): void {
  if (next === undefined) sessionStorage.removeItem(NEXT);
  else sessionStorage.setItem(NEXT, next);
}

/** The screen, once. */
export function takeNext(): string | undefined {
  const next = sessionStorage.getItem(NEXT);
  sessionStorage.removeItem(NEXT);
  return next ?? undefined;
}
