// Structured logging. Prompts, outputs, metadata and secrets are never logged (docs/wire.md, Private logs).

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields, error?: unknown): void;
  error(event: string, fields?: LogFields, error?: unknown): void;
}
