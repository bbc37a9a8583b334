import { type Clock, Semaphore } from '@weir/core';
import { eventLimits } from '@weir/events/limits';
import type { ObjectInfo, ObjectStore } from '@weir/storage';
import { jobLimits } from '../limits.ts';
import type { ByteRange, SidecarRef } from './engine.ts';
import { readSidecarKey, type StoredSidecar, sidecarPrefix } from './sidecar-names.ts';

interface SidecarShelfOptions {
  readonly clusterId: string;
  readonly store: ObjectStore;
  readonly clock: Clock;
}

/**
 * How long a listing is cached: a sidecar that it lacks costs only time, and one that was removed is noticed on
 * reading.
 */
const listMsMax = 15_000;

interface Listed {
  readonly atMs: number;
  readonly sidecars: Promise<readonly StoredSidecar[]>;
}

/**
 * The sidecars in the bucket. Their names contain all metadata, so a listing is enough: no separate registration is
 * needed, none can get lost, and one that exists is complete, since objects appear atomically.
 */
export class SidecarShelf {
  readonly #options: SidecarShelfOptions;
  readonly #reads = new Semaphore({ permits: eventLimits.queryReadsMax });
  /** By topic, the oldest listing first. */
  readonly #lists = new Map<string, Listed>();

  constructor(options: SidecarShelfOptions) {
    this.#options = options;
  }

  /** Returns the sidecars that cover a part of a range. They do not overlap. */
  async covering(topicId: string, fromOffset: number, toOffset: number): Promise<readonly StoredSidecar[]> {
    const all = await this.#listed(topicId);
    return all.filter((sidecar) => sidecar.fromOffset < toOffset && sidecar.toOffset > fromOffset);
  }

  /** Lists all sidecars of a topic in the bucket now, including overlapping ones. */
  async all(topicId: string, signal?: AbortSignal): Promise<StoredSidecar[]> {
    const { clusterId, store } = this.#options;
    const found: StoredSidecar[] = [];
    const options = { signal };
    for await (const page of store.list(sidecarPrefix(clusterId, topicId), options)) {
      for (const object of page) {
        const sidecar = storedSidecar(object);
        if (sidecar !== undefined && found.length < jobLimits.eventSidecarsPerTopicMax) found.push(sidecar);
      }
    }
    return found.sort((a, b) => a.fromOffset - b.fromOffset || b.toOffset - a.toOffset);
  }

  async read(
    { id }: Pick<SidecarRef, 'id'>,
    ranges: readonly ByteRange[],
    signal: AbortSignal,
  ): Promise<readonly Uint8Array<ArrayBuffer>[]> {
    const { store } = this.#options;
    return Promise.all(
      ranges.map(({ start, end }) =>
        this.#reads.run(async () => {
          signal.throwIfAborted();
          // A copy: the store may return a view of shared memory.
          return Uint8Array.from(await store.getRange(id, start, end, { signal }));
        }),
      ),
    );
  }

  /** Drops the cached listing. */
  forget(topicId: string): void {
    this.#lists.delete(topicId);
  }

  #listed(topicId: string): Promise<readonly StoredSidecar[]> {
    const nowMs = this.#options.clock.monotonicMs();
    const known = this.#lists.get(topicId);
    if (known !== undefined && nowMs - known.atMs < listMsMax) return known.sidecars;
    const sidecars = this.all(topicId).then(withoutOverlaps);
    this.#lists.delete(topicId);
    this.#lists.set(topicId, { atMs: nowMs, sidecars });
    if (this.#lists.size > listedTopicsMax) this.#lists.delete(this.#lists.keys().next().value!);
    sidecars.catch(() => this.#lists.delete(topicId));
    return sidecars;
  }
}

/** There is one topic per event type; a deleted topic may be replaced by a new one. */
const listedTopicsMax = 64;

function storedSidecar({ key, bytes }: ObjectInfo): StoredSidecar | undefined {
  const named = readSidecarKey(key);
  return named && { ...named, id: key, byteLength: bytes };
}

/**
 * Two agents that both held the job for a moment may have written overlapping sidecars; the longer one of two is used.
 */
function withoutOverlaps(sorted: readonly StoredSidecar[]): readonly StoredSidecar[] {
  let endOffset = 0;
  return sorted.filter(({ fromOffset, toOffset }) => {
    if (fromOffset < endOffset) return false;
    endOffset = toOffset;
    return true;
  });
}
