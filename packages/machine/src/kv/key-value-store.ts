import { type Namespace, namespaceNames, namespaces } from './namespaces.ts';

export interface NamedEntry {
  readonly namespace: Namespace;
  readonly key: string;
  readonly value: Buffer;
}

/** What a record costs beyond its key and value. */
const recordOverheadBytes = 64;

/**
 * Small values by namespace and key: what coordinators decide and must find again after a failover. The machine does not know
 * what they mean.
 */
export class Records {
  readonly #namespaces = new Map<Namespace, Map<string, Buffer>>(
    namespaceNames.map((name) => [name, new Map()]),
  );
  readonly #bytesOf = new Map<Namespace, number>();
  #count = 0;
  #bytes = 0;

  get count(): number {
    return this.#count;
  }

  /** Of keys and values, with what a record costs besides. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The same of one namespace. */
  bytesOf(namespace: Namespace): number {
    return this.#bytesOf.get(namespace) ?? 0;
  }

  get(namespace: Namespace, key: string): Buffer | undefined {
    return this.#namespaces.get(namespace)!.get(key);
  }

  /** In the order in which the keys were put first, which all who apply the same entries share. */
  of(namespace: Namespace): ReadonlyMap<string, Buffer> {
    return this.#namespaces.get(namespace)!;
  }

  /** A list of its own. Values are replaced, never changed. */
  all(): NamedEntry[] {
    const all: NamedEntry[] = [];
    for (const [namespace, records] of this.#namespaces) {
      for (const [key, value] of records) all.push({ namespace, key, value });
    }
    return all;
  }

  /** Those that agents have to know. */
  followed(): NamedEntry[] {
    const followed: NamedEntry[] = [];
    for (const [namespace, records] of this.#namespaces) {
      if (!namespaces[namespace].isFollowed) continue;
      for (const [key, value] of records) followed.push({ namespace, key, value });
    }
    return followed;
  }

  /** Takes the value as it is; nobody may change it afterwards. */
  put(namespace: Namespace, key: string, value: Buffer): void {
    const records = this.#namespaces.get(namespace)!;
    const before = records.get(key);
    if (before === undefined) this.#count++;
    else this.#countBytes(namespace, -recordBytes(key, before));
    this.#countBytes(namespace, recordBytes(key, value));
    records.set(key, value);
  }

  delete(namespace: Namespace, key: string): void {
    const records = this.#namespaces.get(namespace)!;
    const before = records.get(key);
    if (before === undefined) return;
    records.delete(key);
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
