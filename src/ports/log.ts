// Structured log lines. No prompt, output, metadata or secret is ever handed to it (docs/wire.md, rule 16).

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields, error?: unknown): void;
  error(event: string, fields?: LogFields, error?: unknown): void;
}
