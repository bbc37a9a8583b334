/**
 * What users of `weir/testing` see. A release publishes this text as its declarations, so that it has types alone and
 * imports nothing.
 */

/** A cluster for tests. */
export interface TestCluster extends AsyncDisposable {
  /** For `bootstrap.servers` and `brokers`: `localhost:40123`. */
  readonly bootstrapServers: string;
  readonly schemaRegistryUrl: string;
  /** The control plane: its API takes `apiKey` in the header `service-api-key`. */
  readonly apiUrl: string;
  readonly apiKey: string;
  /** The same as variables, for processes that a test starts. */
  readonly environment: Readonly<Record<string, string>>;
  /** Stops it; all its records are gone. A second call waits for the first. */
  stop(): Promise<void>;
}

export interface TestTopic {
  /** By default that of the cluster. */
  readonly partitions?: number;
  /** Configs of Kafka by their names. */
  readonly configs?: Readonly<Record<string, string>>;
}

export interface TestSchema {
  readonly schema: string | object;
  readonly type?: 'AVRO' | 'JSON' | 'PROTOBUF';
}

export interface TestClusterOptions {
  /** Topics to create before the cluster is handed over: names, or settings by name. */
  readonly topics?: readonly string[] | Readonly<Record<string, TestTopic>>;
  /** Schemas to register by subject, in this order. */
  readonly schemas?: Readonly<Record<string, TestSchema>>;
  /**
   * `child` (the default) runs the cluster in a process of its own, which also ends when the test process is killed.
   * `here` runs it in this process, which must be Node 24 or newer: a debugger sees both sides.
   */
  readonly runs?: 'child' | 'here';
  /** Further flags of `weir local`. */
  readonly flags?: readonly string[];
  /** The heap of the child, where memory is scarce. */
  readonly heapMib?: number;
}

/**
 * The hooks of a test runner: `{ before, after }` of node:test, `{ beforeAll, afterAll }` of vitest and jest. A runner
 * may limit the time of a hook: on a machine with nothing else to do the cluster starts within a second.
 */
export type Hooks =
  | { before(hook: () => Promise<void>): unknown; after(hook: () => Promise<void>): unknown }
  | { beforeAll(hook: () => Promise<void>): unknown; afterAll(hook: () => Promise<void>): unknown };
