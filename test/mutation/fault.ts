// A fault: a range of a module's text and its replacement.

export interface Fault {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

export function applyFault(text: string, { start, end, replacement }: Fault): string {
  return text.slice(0, start) + replacement + text.slice(end);
}
