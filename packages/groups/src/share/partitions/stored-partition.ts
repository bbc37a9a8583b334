import { ByteReader } from '@weir/machine';
import type { Sleeper } from '../../wake-queue.ts';
import { readSharePartition } from './record.ts';
import type { SharePartition } from './share-partition.ts';

/** The progress of a share group in a partition, with the bookkeeping of its leader. */
export class StoredPartition implements Sleeper {
  readonly groupId: string;
  readonly topicId: string;
  readonly partition: number;
  wakeAtMs = Number.POSITIVE_INFINITY;
  /** Whether it was deleted; holders must drop it. */
  isGone = false;
  /** The number of its spans in the total. */
  countedSpans = 0;
  /** Called when records may be available. */
  readonly waiting = new Set<(stored: StoredPartition) => void>();
  /** The stored bytes, until first use. */
  #bytes: Buffer | undefined;
  #state: SharePartition | undefined;

  constructor(
    place: Pick<StoredPartition, 'groupId' | 'topicId' | 'partition'>,
    state: SharePartition | Buffer,
  ) {
    this.groupId = place.groupId;
    this.topicId = place.topicId;
    this.partition = place.partition;
    if (state instanceof Uint8Array) this.#bytes = state;
    else this.#state = state;
  }

  get state(): SharePartition {
    if (this.#state === undefined) {
      this.#state = readSharePartition(new ByteReader(this.#bytes!));
      this.#bytes = undefined;
    }
    return this.#state;
  }

  /** The length delimits the group id, whatever it contains. */
  get key(): string {
    return `${this.groupId.length}/${this.groupId}/${this.topicId}/${this.partition}`;
  }

  wakeWaiting(): void {
    for (const wake of [...this.waiting]) wake(this);
  }
}

/** Parses a key; `undefined` if it is invalid. */
export function placeOf(key: string): Pick<StoredPartition, 'groupId' | 'topicId' | 'partition'> | undefined {
  const slash = key.indexOf('/');
  const groupEnd = slash + 1 + Number(key.slice(0, slash));
  const [topicId, partition] = key.slice(groupEnd + 1).split('/');
  if (topicId === undefined || partition === undefined) return undefined;
  return { groupId: key.slice(slash + 1, groupEnd), topicId, partition: Number(partition) };
}
