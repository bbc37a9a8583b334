import type { MetadataEntry } from '@weir/cluster';
import { keptCopy } from '@weir/core';
import { agentLimits } from '../limits.ts';

/** The records of one namespace as the agent last heard of them. */
export interface EntriesView {
  /** Grows with every change, for those who keep what they made of the records. */
  readonly version: number;
  readonly byKey: ReadonlyMap<string, Uint8Array>;
}

/** The same for those who keep something large, and change it where the records changed. */
export interface FollowedEntriesView extends EntriesView {
  /** The keys of all records that changed after a version; `undefined` when that is too long ago to know, or everything may have. */
  changedSince(version: number): readonly string[] | undefined;
}

class Namespace implements FollowedEntriesView {
  readonly byKey = new Map<string, Uint8Array>();
  version = 0;
  /** The last changes, one for each version, the oldest first. */
  #recent: string[] = [];

  changedSince(version: number): readonly string[] | undefined {
    const first = this.version - this.#recent.length;
    return version < first ? undefined : this.#recent.slice(version - first);
  }

  put(key: string, value: Uint8Array | null): void {
    if (value === null) this.byKey.delete(key);
    else this.byKey.set(key, keptCopy(value));
    this.version++;
    this.#recent.push(key);
    if (this.#recent.length > agentLimits.followedChangesMax) {
      this.#recent = this.#recent.slice(agentLimits.followedChangesMax / 2);
    }
  }

  restart(): void {
    this.byKey.clear();
    this.version++;
    this.#recent = [];
  }
}

/** The records of a cluster that agents have to know: quotas, credentials, subscriptions. The cluster limits how many there are. */
export class FollowedEntries {
  readonly #namespaces = new Map<string, Namespace>();

  of(namespace: string): FollowedEntriesView {
    return this.#of(namespace);
  }

  /** Forgets everything that is not in the snapshot. */
  restart(records: readonly MetadataEntry[]): void {
    for (const known of this.#namespaces.values()) known.restart();
    for (const { namespace, key, value } of records) this.put(namespace, key, value);
  }

  /** A value of `null` removes. */
  put(namespace: string, key: string, value: Uint8Array | null): void {
    this.#of(namespace).put(key, value);
  }

  #of(namespace: string): Namespace {
    let known = this.#namespaces.get(namespace);
    if (known === undefined) {
      known = new Namespace();
      this.#namespaces.set(namespace, known);
    }
    return known;
  }
}
