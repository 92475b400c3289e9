// The credentials of this tab's requests. The session's cookie is not among them: no script can read it.

const KEY = "turngate.key";

interface Credentials {
  /** Sent with every change; known once the session has been read. */
  csrfToken: string | null;
  /** An `sk_` key, for the playground and the page of the key. */
  readonly key: string | null;
}

/** The tab's session storage is gone when the tab is closed; nothing is kept anywhere else. */
export const credentials: Credentials = {
  csrfToken: null,
  get key() {
    return sessionStorage.getItem(KEY);
  },
};

export function keepKey(key: string): void {
  sessionStorage.setItem(KEY, key);
}

export function forgetKey(): void {
  sessionStorage.removeItem(KEY);
}

/** Forgets everything, on sign-out. */
export function forgetAll(): void {
  credentials.csrfToken = null;
  forgetKey();
}
