import type { Clock } from '@weir/core';
import { componentOf } from '../component/component-spec.ts';
import { durationMs, int, map, string } from '../component/field-types.ts';
import type { CacheNow } from '../component/instances.ts';
import { pipelineLimits } from '../limits.ts';
import { CacheMemory, entryBytes } from './cache-memory.ts';
import { cacheOf } from './cache-of.ts';

interface Entry {
  readonly value: Buffer;
  readonly expiresMs: number;
  readonly byteCount: number;
}

interface Options {
  readonly defaultTtlMs: number;
  /** 0 if entries do not expire. */
  readonly compactionMs: number;
  readonly initialValues: ReadonlyMap<string, string>;
}

/** Entries that expire. If there are too many, the oldest ones go before they do. */
class ExpiringEntries implements CacheNow {
  readonly #options: Options;
  readonly #clock: Clock;
  readonly #memory: CacheMemory;
  /** In the order in which they were set. */
  readonly #entries = new Map<string, Entry>();
  /** Those of the configuration stay until they are changed. */
  readonly #initial: Map<string, Buffer>;
  #compactedMs: number;

  constructor(options: Options, clock: Clock, memory: CacheMemory) {
    this.#options = options;
    this.#clock = clock;
    this.#memory = memory;
    this.#initial = new Map([...options.initialValues].map(([key, value]) => [key, Buffer.from(value)]));
    this.#compactedMs = clock.monotonicMs();
  }

  get(key: string): Buffer | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return this.#initial.get(key);
    return this.#isExpired(entry) ? undefined : entry.value;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  set(key: string, value: Buffer, ttlMs = this.#options.defaultTtlMs): void {
    const byteCount = entryBytes(key, value);
    this.#compact();
    this.delete(key);
    while (this.#entries.size >= pipelineLimits.cacheEntriesMax) this.#dropOldest();
    this.#memory.take(byteCount, () => this.#dropOldest());
    this.#entries.set(key, { value, byteCount, expiresMs: this.#clock.monotonicMs() + ttlMs });
  }

  add(key: string, value: Buffer, ttlMs?: number): boolean {
    if (this.has(key)) return false;
    this.set(key, value, ttlMs);
    return true;
  }

  delete(key: string): void {
    this.#initial.delete(key);
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#memory.free(entry.byteCount);
  }

  clear(): void {
    while (this.#dropOldest());
  }

  #isExpired({ expiresMs }: Entry): boolean {
    return this.#options.compactionMs > 0 && expiresMs <= this.#clock.monotonicMs();
  }

  #dropOldest(): boolean {
    for (const [key, { byteCount }] of this.#entries) {
      this.#entries.delete(key);
      this.#memory.free(byteCount);
      return true;
    }
    return false;
  }

  #compact(): void {
    const { compactionMs } = this.#options;
    const nowMs = this.#clock.monotonicMs();
    if (compactionMs <= 0 || nowMs - this.#compactedMs < compactionMs) return;
    this.#compactedMs = nowMs;
    for (const [key, entry] of this.#entries) if (this.#isExpired(entry)) this.delete(key);
  }
}

export const memory = componentOf('cache', {
  name: 'memory',
  about: 'Keeps values in memory, for a time. They are gone when the pipeline stops.',
  fields: {
    default_ttl: durationMs('How long a value is kept that is set without a time of its own.').or('5m'),
    compaction_interval: durationMs(
      'How often expired values are removed; values do not expire if empty.',
    ).or('60s'),
    init_values: map('Values that are there from the beginning, and stay.', string('The value.')).or({}),
    shards: int('Parts that threads share.').or(1).advanced().withoutEffect('one thread runs a pipeline'),
  },
  open({ default_ttl: ttlMs, compaction_interval: compactionMs, init_values: initialValues }, context) {
    const options = { defaultTtlMs: ttlMs ?? 0, compactionMs: compactionMs ?? 0, initialValues };
    const entries = new ExpiringEntries(options, context.clock, CacheMemory.of(context.resources));
    return cacheOf(entries, () => entries.clear());
  },
});
