import { eventLimits } from '../limits.ts';

/** Caches results about immutable parts of the log, with LRU eviction. */
export class QueryCache {
  readonly #bytesMax: number;
  readonly #entries = new Map<string, { readonly value: unknown; readonly bytes: number }>();
  #bytes = 0;

  constructor(bytesMax: number = eventLimits.eventQueryCacheBytesMax) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The key determines the type of the value. */
  get<Value>(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value as Value;
  }

  set(key: string, value: unknown, valueBytes: number): void {
    const bytes = valueBytes + 2 * key.length + 200;
    this.#remove(key);
    if (bytes > this.#bytesMax / 4) return;
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    while (this.#bytes > this.#bytesMax) {
      const [oldest] = this.#entries.keys();
      this.#remove(oldest!);
    }
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}
