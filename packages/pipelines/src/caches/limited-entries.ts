import type { CacheNow } from '../component/instances.ts';
import { type CacheMemory, entryBytes } from './cache-memory.ts';
import type { Eviction } from './eviction.ts';

interface Entry {
  readonly value: Buffer;
  readonly byteCount: number;
  readonly expiresMs: number;
}

/** A fixed number of entries at most. */
export class LimitedEntries implements CacheNow {
  readonly #entries = new Map<string, Entry>();
  readonly #eviction: Eviction;
  readonly #memory: CacheMemory;
  readonly #expiry: { nowMs(): number; readonly ttlMs: number } | undefined;

  constructor(
    evictionOf: (evict: (key: string) => void) => Eviction,
    memory: CacheMemory,
    expiry?: { nowMs(): number; readonly ttlMs: number },
  ) {
    this.#eviction = evictionOf((key) => this.delete(key));
    this.#memory = memory;
    this.#expiry = expiry;
  }

  get(key: string): Buffer | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || this.#isExpired(entry)) return undefined;
    this.#eviction.used(key);
    return entry.value;
  }

  has(key: string): boolean {
    const entry = this.#entries.get(key);
    return entry !== undefined && !this.#isExpired(entry);
  }

  /** All entries have the same time, whatever is asked for. */
  set(key: string, value: Buffer): void {
    const byteCount = entryBytes(key, value);
    const known = this.#entries.get(key);
    if (known !== undefined) this.#memory.free(known.byteCount);
    this.#entries.delete(key);
    try {
      this.#memory.take(byteCount, () => this.#dropOldest(key));
    } catch (error) {
      this.#eviction.removed(key);
      throw error;
    }
    const expiresMs =
      this.#expiry === undefined ? Number.POSITIVE_INFINITY : this.#expiry.nowMs() + this.#expiry.ttlMs;
    this.#entries.set(key, { value, byteCount, expiresMs });
    this.#eviction.set(key);
  }

  add(key: string, value: Buffer): boolean {
    if (this.has(key)) return false;
    this.set(key, value);
    return true;
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    this.#eviction.removed(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#memory.free(entry.byteCount);
  }

  clear(): void {
    for (const key of [...this.#entries.keys()]) this.delete(key);
  }

  #isExpired({ expiresMs }: Entry): boolean {
    return this.#expiry !== undefined && expiresMs <= this.#expiry.nowMs();
  }

  #dropOldest(except: string): boolean {
    const key = this.#eviction.oldest();
    if (key === undefined) return false;
    this.delete(key);
    return key !== except || this.#entries.size > 0;
  }
}
