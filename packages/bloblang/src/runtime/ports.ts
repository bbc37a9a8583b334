import type { Clock, Random } from '@weir/core';

/**
 * What a mapping may ask of the process. A function whose port is absent fails when it runs; environments leave
 * such functions out.
 */
export interface Ports {
  readonly clock: Pick<Clock, 'nowMs'>;
  /** For numbers that need not be secret. */
  readonly random: Random;
  readonly hostName?: string;
  /** Variables that mappings may read. */
  environment?(name: string): string | undefined;
  readFile?(path: string): Buffer;
  /** Values of `count`, which all mappings share. */
  readonly counters: Map<string, number>;
  /** Caches by the name of their resource. */
  cache?(resource: string): MappingCache | undefined;
}

/** A cache that answers at once. */
export interface MappingCache {
  get(key: string): Buffer | undefined;
  set(key: string, value: Buffer): void;
  /** Whether the key was new. */
  add(key: string, value: Buffer): boolean;
  delete(key: string): void;
}
