import type { ClusterPort } from '@weir/cluster';
import { type TenantAccess, usualTenantAccess } from '@weir/cluster/outbound';
import { type Clock, type Log, type Metrics, type Random, release } from '@weir/core';
import type { RegistryChangeStream } from '@weir/registry';
import { RecordSchemas, serviceReader, serviceWriter } from '@weir/registry/decoding';
import { RegistryMetrics } from './registry-metrics.ts';

type OpenModule = typeof import('./open-registry.ts');

interface OwnRegistryParts {
  readonly clusterId: string;
  readonly cluster: ClusterPort;
  readonly changes: RegistryChangeStream;
  /** The destinations that exporters may name; `usualTenantAccess` if absent. */
  readonly tenantAccess?: Pick<TenantAccess, 'hosts'> | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * The registry of the agent's own cluster. It is loaded with its formats when a client of the registry or the
 * validation of records first needs it, so that agents start quickly and those without such clients pay nothing.
 */
export class OwnRegistry {
  readonly metrics: RegistryMetrics;
  /** Its schemas, for records. */
  readonly schemas: RecordSchemas;
  readonly #parts: OwnRegistryParts;
  #opened: Promise<ReturnType<OpenModule['openRegistry']>> | undefined;

  constructor(parts: OwnRegistryParts) {
    this.#parts = parts;
    this.metrics = new RegistryMetrics(parts.metrics);
    const openService = async () => (await this.open()).service();
    this.schemas = new RecordSchemas({
      registry: { ...serviceWriter(openService), ...serviceReader(openService) },
      isOwn: true,
      clock: parts.clock,
    });
  }

  open() {
    this.#opened ??= import('./open-registry.ts').then(({ openRegistry }) =>
      openRegistry({
        ...this.#parts,
        port: this.#parts.cluster,
        allowedHosts: (this.#parts.tenantAccess ?? usualTenantAccess).hosts,
        release,
        metrics: this.metrics,
      }),
    );
    return this.#opened;
  }

  /** Its own exporters, and what they copy. */
  async exported() {
    const { service, freshState } = await this.open();
    const { exporters } = await service();
    const { cluster } = this.#parts;
    return {
      exporters,
      state: freshState,
      readRegistry: (request: Parameters<ClusterPort['readRegistry']>[0]) => cluster.readRegistry(request),
    };
  }

  async close(): Promise<void> {
    await this.schemas.close();
    const opened = await this.#opened;
    await opened?.close();
  }
}
