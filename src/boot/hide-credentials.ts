// Addresses as error messages show them.

/** The text without the user and password of an address in it. */
export function hideCredentials(text: string): string {
  return text.replace(/\/\/[^/?#\s]*@/g, "//…@");
}
