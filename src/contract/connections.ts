// The settings of the connections to PostgreSQL, under the names that they have in turngate.yaml. docs/nodes.md

const DEFAULTS = {
  /** Connections of a node for requests. */
  connections: 10,
  /** Connections of a node for long reads, so that no request waits for them. */
  long_read_connections: 2,
  /** Longest wait for a new or a free connection. */
  connect_timeout_seconds: 2,
  /** Longest statement of a request: a slow database leads to a 503, not to a queue. */
  statement_timeout_seconds: 5,
  /** Longest statement of a long read. */
  long_read_timeout_seconds: 60,
  /** Longest wait for a lock of another transaction. */
  lock_timeout_seconds: 2,
};

export type ConnectionSettings = Readonly<typeof DEFAULTS>;

/** Used where `turngate.yaml` sets none. */
export const DEFAULT_CONNECTIONS: ConnectionSettings = Object.freeze(DEFAULTS);
