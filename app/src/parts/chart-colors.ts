// Colours of a chart's series, in the order in which they are used.
const LIGHT = ["#1864ab", "#e8590c", "#2b8a3e", "#862e9c", "#f08c00", "#0b7285", "#c2255c", "#868e96"];
const DARK = ["#4dabf7", "#ffa94d", "#69db7c", "#da77f2", "#ffd43b", "#3bc9db", "#f783ac", "#adb5bd"];

export const colorsOf = (scheme: "light" | "dark"): readonly string[] => (scheme === "dark" ? DARK : LIGHT);
