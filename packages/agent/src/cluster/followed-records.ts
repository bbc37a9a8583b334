import type { ClusterRecord } from '@weir/metadata';

/** The records of one namespace as the agent last heard of them. */
export interface RecordsView {
  /** Grows with every change, for those who keep what they made of the records. */
  readonly version: number;
  readonly byKey: ReadonlyMap<string, Uint8Array>;
}

interface Namespace {
  version: number;
  readonly byKey: Map<string, Uint8Array>;
}

/** The records of a cluster that agents have to know: quotas, credentials, subscriptions. The cluster limits how many there are. */
export class FollowedRecords {
  readonly #namespaces = new Map<string, Namespace>();

  of(namespace: string): RecordsView {
    return this.#of(namespace);
  }

  /** Forgets everything that is not in the snapshot. */
  restart(records: readonly ClusterRecord[]): void {
    for (const known of this.#namespaces.values()) {
      known.byKey.clear();
      known.version++;
    }
    for (const { namespace, key, value } of records) this.put(namespace, key, value);
  }

  /** A value of `null` removes. */
  put(namespace: string, key: string, value: Uint8Array | null): void {
    const known = this.#of(namespace);
    if (value === null) known.byKey.delete(key);
    else known.byKey.set(key, value);
    known.version++;
  }

  #of(namespace: string): Namespace {
    let known = this.#namespaces.get(namespace);
    if (known === undefined) {
      known = { version: 0, byKey: new Map() };
      this.#namespaces.set(namespace, known);
    }
    return known;
  }
}
