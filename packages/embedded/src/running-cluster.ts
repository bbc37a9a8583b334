import type { TestCluster } from './cluster.ts';

/** Where a running cluster is. */
export type Addresses = Pick<TestCluster, 'bootstrapServers' | 'schemaRegistryUrl' | 'apiUrl' | 'apiKey'>;

/** A cluster that runs, and how it is stopped. */
export interface RunningCluster {
  readonly addresses: Addresses;
  stop(): Promise<void>;
}

/** Any free ports, and errors alone in the log. */
export function localFlags(flags: readonly string[]): string[] {
  const ports = ['-kafkaPort', '-httpPort', '-schemaRegistryPort', '-consolePort'];
  return [...ports.flatMap((name) => [name, '0']), '-logLevel', 'error', ...flags];
}
