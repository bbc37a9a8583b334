import type { Clock } from '@weir/core';
import { SchemaPool } from '../schema-work/schema-pool.ts';
import { loadFormat } from './load-format.ts';
import { PayloadDecoder } from './payload-decoder.ts';
import { PayloadEncoder } from './payload-encoder.ts';
import type { RegistryReader, RegistryWriter } from './registry-reader.ts';
import { SchemaCache } from './schema-cache.ts';

interface RecordSchemasOptions {
  readonly registry: RegistryReader & RegistryWriter;
  /** Whether it is the registry of the own cluster, and not one that was configured. */
  readonly isOwn: boolean;
  readonly clock: Clock;
}

/** The schemas of one registry, by which an agent validates, decodes and encodes records. */
export class RecordSchemas {
  /** A registry elsewhere does not know the rights of the agent's callers, so it is only read for them. */
  readonly isOwn: boolean;
  readonly cache: SchemaCache;
  readonly decoder: PayloadDecoder;
  readonly encoder: PayloadEncoder;
  readonly #pool: SchemaPool;

  constructor({ registry, isOwn, clock }: RecordSchemasOptions) {
    this.isOwn = isOwn;
    this.#pool = new SchemaPool({ clock });
    this.cache = new SchemaCache({ reader: registry, formatOf: loadFormat, clock, pool: this.#pool });
    const shared = { cache: this.cache, clock, pool: this.#pool };
    this.decoder = new PayloadDecoder(shared);
    this.encoder = new PayloadEncoder({ ...shared, registry });
  }

  async close(): Promise<void> {
    this.cache.close();
    await this.#pool.end();
  }
}
