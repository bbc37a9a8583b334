import type { MigrationSource } from '@weir/cluster';
import type { TenantAccess } from '@weir/cluster/outbound';
import type { Clock } from '@weir/core';
import type { WrittenSource } from './source-writes.ts';

interface OpenOptions {
  readonly tenantAccess: TenantAccess;
  readonly clock: Clock;
}

/** Opens the source of a migration to write to it. Loaded on demand: most agents never do. */
export async function openWrittenSource(
  { yaml, secrets }: MigrationSource,
  stop: AbortSignal,
  { tenantAccess, clock }: OpenOptions,
): Promise<WrittenSource> {
  const [{ readConfiguration }, { openSource }] = await Promise.all([
    import('@weir/migration/configuration'),
    import('@weir/migration/source'),
  ]);
  const reading = readConfiguration(yaml);
  if ('problems' in reading) throw new Error(`the configuration is wrong: ${reading.problems[0]!.message}`);
  const { configuration } = reading;
  const cluster = await openSource({ configuration, secrets, tenantAccess, clock, stop });
  return {
    metadata: (topics) => cluster.metadata(topics),
    // Connections of their own: brokers answer the requests of a connection in order.
    connectionTo: (brokerId) => cluster.connectionTo(brokerId, 'fetches'),
    close: () => cluster.close(),
  };
}
