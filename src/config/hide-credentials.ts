// Addresses in error messages.

/** Hides user and password of an address in a text, also if the password is not percent-encoded. */
export function hideCredentials(text: string): string {
  return text.replace(/\/\/\S*@/g, "//…@");
}
