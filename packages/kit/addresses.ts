// Addresses: which may be sent secrets and content, and how they are shown.

/** Whether nobody on the way can read or change what is sent: by TLS, or because it stays on this machine. */
export function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}

/** Hides user and password of an address in a text, also if the password is not percent-encoded. */
export function hideCredentials(text: string): string {
  return text.replace(/\/\/\S*@/g, "//…@");
}
