import { type Namespace, namespaceNames, namespaces } from './namespaces.ts';

export interface NamedEntry {
  readonly namespace: Namespace;
  readonly key: string;
  readonly value: Buffer;
}

/** Memory of an entry beyond its key and value. */
const recordOverheadBytes = 64;

/**
 * Small values by namespace and key: the state of coordinators that must survive a failover. The machine does not
 * interpret them.
 */
export class KeyValueStore {
  readonly #namespaces = new Map<Namespace, Map<string, Buffer>>(
    namespaceNames.map((name) => [name, new Map()]),
  );
  readonly #bytesOf = new Map<Namespace, number>();
  #count = 0;
  #bytes = 0;

  get count(): number {
    return this.#count;
  }

  /** Total bytes of keys and values, with overhead. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Total bytes of one namespace. */
  bytesOf(namespace: Namespace): number {
    return this.#bytesOf.get(namespace) ?? 0;
  }

  get(namespace: Namespace, key: string): Buffer | undefined {
    return this.#namespaces.get(namespace)!.get(key);
  }

  /** In the order of first puts, which is the same for all machines that apply the same entries. */
  of(namespace: Namespace): ReadonlyMap<string, Buffer> {
    return this.#namespaces.get(namespace)!;
  }

  /** Returns a new list. Values are replaced, never mutated. */
  all(): NamedEntry[] {
    const all: NamedEntry[] = [];
    for (const [namespace, entries] of this.#namespaces) {
      for (const [key, value] of entries) all.push({ namespace, key, value });
    }
    return all;
  }

  /** Returns the entries that followers receive. */
  followed(): NamedEntry[] {
    const followed: NamedEntry[] = [];
    for (const [namespace, entries] of this.#namespaces) {
      if (!namespaces[namespace].isFollowed) continue;
      for (const [key, value] of entries) followed.push({ namespace, key, value });
    }
    return followed;
  }

  /** Stores the value without a copy; the caller must not change it afterwards. */
  put(namespace: Namespace, key: string, value: Buffer): void {
    const entries = this.#namespaces.get(namespace)!;
    const before = entries.get(key);
    if (before === undefined) this.#count++;
    else this.#countBytes(namespace, -recordBytes(key, before));
    this.#countBytes(namespace, recordBytes(key, value));
    entries.set(key, value);
  }

  delete(namespace: Namespace, key: string): void {
    const entries = this.#namespaces.get(namespace)!;
    const before = entries.get(key);
    if (before === undefined) return;
    entries.delete(key);
    this.#count--;
    this.#countBytes(namespace, -recordBytes(key, before));
  }

  #countBytes(namespace: Namespace, change: number): void {
    this.#bytes += change;
    this.#bytesOf.set(namespace, this.bytesOf(namespace) + change);
  }
}

export function recordBytes(key: string, value: Uint8Array): number {
  return Buffer.byteLength(key) + value.length + recordOverheadBytes;
}
