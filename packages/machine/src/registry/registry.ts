import type { RegistryEntry } from '@weir/cluster';
import { RetainedCopies } from '@weir/core';

/** Memory of an entry beyond its key and value. */
const entryOverheadBytes = 320;

/** The place of an entry that changed again since. Its revision stays, so that places can be searched by it. */
interface LeftPlace {
  readonly revision: number;
  readonly key?: undefined;
}

type Place = StoredEntry | LeftPlace;

/** An entry that has its value in a page with others. The view of it is made when it is asked for. */
class StoredEntry implements RegistryEntry {
  readonly key: string;
  readonly revision: number;
  readonly #page: Buffer | null;
  readonly #start: number;
  readonly #length: number;

  constructor(key: string, revision: number, value: Uint8Array | null, copies: RetainedCopies) {
    const { page, start } = value === null ? { page: null, start: 0 } : copies.copy(value);
    this.key = key;
    this.revision = revision;
    this.#page = page;
    this.#start = start;
    this.#length = value?.length ?? 0;
  }

  get value(): Uint8Array | null {
    return this.#page?.subarray(this.#start, this.#start + this.#length) ?? null;
  }
}

/** More changes than a registry has between two backups. */
const renewedRevisions = 2 ** 32;

/** Places that were left are removed when they are this many, and more than the others. */
const leftPlacesMin = 1024;

/**
 * The entries of the schema registry. Every change of an entry has a revision of its own, which counts up from 1, and
 * entries are ordered by the revision of their last change. The machine does not interpret keys and values.
 *
 * A removed entry stays in the order, without a value, for readers that have it. The oldest of these are forgotten.
 */
export class Registry {
  readonly #entries = new Map<string, StoredEntry>();
  /** Removals that are remembered, the oldest first. */
  readonly #removed = new Map<string, StoredEntry>();
  /** In order of revision. */
  #places: Place[] = [];
  readonly #copies = new RetainedCopies();
  #revision = 0;
  #forgottenRevision = 0;
  #bytes = 0;

  /** The revision of the last change. */
  get revision(): number {
    return this.#revision;
  }

  /** The revision of the last removal that was forgotten. A reader with an earlier one misses removals. */
  get forgottenRevision(): number {
    return this.#forgottenRevision;
  }

  get count(): number {
    return this.#entries.size;
  }

  get removedCount(): number {
    return this.#removed.size;
  }

  /** Total bytes of keys and values, with overhead. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): RegistryEntry | undefined {
    return this.#entries.get(key);
  }

  /**
   * Puts or, with `null`, removes an entry under the next revision. The value is copied, so that it does not retain the
   * journal entry or the snapshot that it comes from.
   */
  change(key: string, value: Uint8Array | null): void {
    this.restore(key, value, this.#revision + 1);
  }

  /** As `change`, under a revision that is later than all others. */
  restore(key: string, value: Uint8Array | null, revision: number): void {
    const entry = new StoredEntry(key, revision, value, this.#copies);
    const before = this.#entries.get(key);
    if (before !== undefined) {
      this.#bytes -= entryBytes(key, before.value);
      this.#entries.delete(key);
      this.#leave(before);
    }
    const removal = this.#removed.get(key);
    if (removal !== undefined) {
      this.#removed.delete(key);
      this.#leave(removal);
    }
    if (value === null) {
      this.#removed.set(key, entry);
    } else {
      this.#entries.set(key, entry);
      this.#bytes += entryBytes(key, value);
    }
    this.#places.push(entry);
    this.#revision = revision;
    this.#tidy();
  }

  /** Continues after revisions whose entries are not known any more. */
  skipTo(revision: number, forgottenRevision: number): void {
    this.#revision = revision;
    this.#forgottenRevision = forgottenRevision;
  }

  /** Goes on at a revision that no reader has. All of them have to read anew, and none has missed a removal then. */
  renew(): void {
    this.forgetRemovals(this.#removed.size);
    this.skipTo(this.#revision + renewedRevisions, this.#revision + renewedRevisions);
  }

  /** Forgets the oldest removals. */
  forgetRemovals(count: number): void {
    let left = count;
    for (const [key, removal] of this.#removed) {
      if (left-- <= 0) break;
      this.#removed.delete(key);
      this.#leave(removal);
      this.#forgottenRevision = removal.revision;
    }
    this.#tidy();
  }

  /** Yields entries and remembered removals that changed after a revision, in order of revision. */
  *changedAfter(revision: number): Generator<RegistryEntry> {
    const places = this.#places;
    for (let index = this.#firstAfter(revision); index < places.length; index++) {
      const place = places[index]!;
      if (place.key !== undefined) yield place;
    }
  }

  /** Returns a new list of entries and remembered removals. They are replaced, never mutated. */
  all(): StoredEntry[] {
    return this.#places.filter((place) => place.key !== undefined);
  }

  /** Leaves the place of an entry, so that its value is not retained. */
  #leave({ revision }: RegistryEntry): void {
    this.#places[this.#firstAfter(revision - 1)] = { revision };
  }

  #firstAfter(revision: number): number {
    let low = 0;
    let high = this.#places.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#places[middle]!.revision > revision) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Takes as many steps as there were changes since the last time. */
  #tidy(): void {
    const used = this.#entries.size + this.#removed.size;
    if (this.#places.length - used > Math.max(leftPlacesMin, used)) this.#places = this.all();
  }
}

export function entryBytes(key: string, value: Uint8Array | null): number {
  return value === null ? 0 : Buffer.byteLength(key) + value.length + entryOverheadBytes;
}
