// Names of environment variables for texts of a LiteLLM file that turngate.yaml must not repeat: keys, addresses with a password.

export interface NewVariables {
  /**
   * The variable for a text of the file: `wanted`, or `wanted` with a number. Different texts get different variables, and none
   * gets one that the file names itself. With `isOwn` it is never `wanted` itself: that variable may have the key of a
   * provider's own servers, which must not reach another server.
   */
  nameFor(wanted: string, text: string, of: { isOwn: boolean }): string;
}

/** Names for the texts of one file. */
export function createNewVariables(file: string): NewVariables {
  const named = new Set(Array.from(file.matchAll(/os\.environ\/(\w+)/g), ([, name]) => name));
  const texts = new Map<string, string>();
  return {
    nameFor(wanted, text, { isOwn }) {
      const base = wanted.toUpperCase().replaceAll(/\W/g, "_");
      for (let number = isOwn ? 2 : 1; ; number++) {
        const name = number === 1 ? base : `${base}_${number}`;
        if (named.has(name) || (texts.get(name) ?? text) !== text) continue;
        texts.set(name, text);
        return name;
      }
    },
  };
}
