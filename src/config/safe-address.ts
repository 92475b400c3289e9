// Addresses to which secrets and content may be sent.

/** Whether nobody on the way can read or change what is sent: by TLS, or because it stays on this machine. */
export function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}
