import { type Clock, Semaphore } from '@weir/core';
import { eventLimits } from '@weir/events/limits';
import type { ObjectInfo, ObjectStore } from '@weir/storage';
import { agentLimits } from '../limits.ts';
import type { ByteRange, SidecarRef } from './engine.ts';
import { readSidecarKey, type StoredSidecar, sidecarPrefix } from './sidecar-names.ts';

interface SidecarShelfOptions {
  readonly clusterId: string;
  readonly store: ObjectStore;
  readonly clock: Clock;
}

/** A list is as good as new for so long: a sidecar that it lacks costs time, and what it has too many of is noticed. */
const listMsMax = 15_000;

interface Listed {
  readonly atMs: number;
  readonly sidecars: Promise<readonly StoredSidecar[]>;
}

/**
 * The sidecars in the bucket. Their names say all that has to be known of them, so that a list is enough: nobody has to write down that there is
 * one, none can be forgotten, and one that exists is whole, since objects appear all at once.
 */
export class SidecarShelf {
  readonly #options: SidecarShelfOptions;
  readonly #reads = new Semaphore({ permits: eventLimits.queryReadsMax });
  /** By topic, the longest known first. */
  readonly #lists = new Map<string, Listed>();

  constructor(options: SidecarShelfOptions) {
    this.#options = options;
  }

  /** Those that cover a part of a range. They do not overlap. */
  async covering(topicId: string, fromOffset: number, toOffset: number): Promise<readonly StoredSidecar[]> {
    const all = await this.#listed(topicId);
    return all.filter((sidecar) => sidecar.fromOffset < toOffset && sidecar.toOffset > fromOffset);
  }

  /** All of a topic as they are in the bucket now, those that overlap others included. */
  async all(topicId: string, signal?: AbortSignal): Promise<StoredSidecar[]> {
    const { clusterId, store } = this.#options;
    const found: StoredSidecar[] = [];
    const options = signal === undefined ? {} : { signal };
    for await (const page of store.list(sidecarPrefix(clusterId, topicId), options)) {
      for (const object of page) {
        const sidecar = storedSidecar(object);
        if (sidecar !== undefined && found.length < agentLimits.eventSidecarsPerTopicMax) found.push(sidecar);
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
          // A copy: what a store gives may be a part of something that others see too.
          return Uint8Array.from(await store.getRange(id, start, end, { signal }));
        }),
      ),
    );
  }

  /** The next list is a new one. */
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

/** There is one topic per type; another takes its place when it was deleted. */
const listedTopicsMax = 64;

function storedSidecar({ key, bytes }: ObjectInfo): StoredSidecar | undefined {
  const named = readSidecarKey(key);
  return named && { ...named, id: key, byteLength: bytes };
}

/** Two agents that each thought to be the only one may have written some over the same events; the longer one of two is taken. */
function withoutOverlaps(sorted: readonly StoredSidecar[]): readonly StoredSidecar[] {
  let endOffset = 0;
  return sorted.filter(({ fromOffset, toOffset }) => {
    if (fromOffset < endOffset) return false;
    endOffset = toOffset;
    return true;
  });
}
