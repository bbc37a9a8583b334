import { retainedCopy } from '@weir/core';
import type { MetadataEntry } from '../calls/change-stream.ts';
import { clusterLimits } from '../limits.ts';

/** The entries of one namespace as the agent last received them. */
export interface EntriesView {
  /** Grows with every change, for readers that cache derived values. */
  readonly version: number;
  readonly byKey: ReadonlyMap<string, Uint8Array>;
}

/** The same for readers that cache large derived values and update them incrementally. */
export interface FollowedEntriesView extends EntriesView {
  /**
   * Returns the keys that changed after a version; `undefined` if that is too long ago to know, or if everything may
   * have changed.
   */
  changedSince(version: number): readonly string[] | undefined;
}

class Namespace implements FollowedEntriesView {
  readonly byKey = new Map<string, Uint8Array>();
  version = 0;
  /** The last changes, one per version, oldest first. */
  #recent: string[] = [];

  changedSince(version: number): readonly string[] | undefined {
    const first = this.version - this.#recent.length;
    return version < first ? undefined : this.#recent.slice(version - first);
  }

  put(key: string, value: Uint8Array | null): void {
    if (value === null) this.byKey.delete(key);
    else this.byKey.set(key, retainedCopy(value));
    this.version++;
    this.#recent.push(key);
    if (this.#recent.length > clusterLimits.followedChangesMax) {
      this.#recent = this.#recent.slice(clusterLimits.followedChangesMax / 2);
    }
  }

  restart(): void {
    this.byKey.clear();
    this.version++;
    this.#recent = [];
  }
}

/** The entries of a cluster that agents follow: quotas, credentials, subscriptions. The cluster limits their number. */
export class FollowedEntries {
  readonly #namespaces = new Map<string, Namespace>();

  of(namespace: string): FollowedEntriesView {
    return this.#of(namespace);
  }

  /** Drops everything that is not in the snapshot. */
  restart(records: readonly MetadataEntry[]): void {
    for (const known of this.#namespaces.values()) known.restart();
    for (const { namespace, key, value } of records) this.put(namespace, key, value);
  }

  /** A value of `null` removes the entry. */
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
