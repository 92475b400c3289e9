// Addresses as error messages show them.

/** The text without the user and password of an address in it, whatever a password that was not encoded holds. */
export function hideCredentials(text: string): string {
  return text.replace(/\/\/\S*@/g, "//…@");
}
