import { ByteReader } from '@weir/machine';
import type { Sleeper } from '../../wake-queue.ts';
import { readSharePartition } from './record.ts';
import type { SharePartition } from './share-partition.ts';

/** Where a share group stands in a partition, with what its leader has to know besides. */
export class StoredPartition implements Sleeper {
  readonly groupId: string;
  readonly topicId: string;
  readonly partition: number;
  wakeAtMs = Number.POSITIVE_INFINITY;
  /** Whether it is not there any more; who still has it must let go of it. */
  isGone = false;
  /** How many spans of it were counted. */
  countedSpans = 0;
  /** Called when somebody could be given something. */
  readonly waiting = new Set<(kept: StoredPartition) => void>();
  /** What the leader before kept, until it is looked at. */
  #kept: Buffer | undefined;
  #state: SharePartition | undefined;

  constructor(
    place: Pick<StoredPartition, 'groupId' | 'topicId' | 'partition'>,
    state: SharePartition | Buffer,
  ) {
    this.groupId = place.groupId;
    this.topicId = place.topicId;
    this.partition = place.partition;
    if (state instanceof Uint8Array) this.#kept = state;
    else this.#state = state;
  }

  get state(): SharePartition {
    if (this.#state === undefined) {
      this.#state = readSharePartition(new ByteReader(this.#kept!));
      this.#kept = undefined;
    }
    return this.#state;
  }

  /** The length says where the id of the group ends, whatever it contains. */
  get key(): string {
    return `${this.groupId.length}/${this.groupId}/${this.topicId}/${this.partition}`;
  }

  wakeWaiting(): void {
    for (const wake of [...this.waiting]) wake(this);
  }
}

/** The place that a key names; `undefined` for what is no key. */
export function placeOf(key: string): Pick<StoredPartition, 'groupId' | 'topicId' | 'partition'> | undefined {
  const slash = key.indexOf('/');
  const groupEnd = slash + 1 + Number(key.slice(0, slash));
  const [topicId, partition] = key.slice(groupEnd + 1).split('/');
  if (topicId === undefined || partition === undefined) return undefined;
  return { groupId: key.slice(slash + 1, groupEnd), topicId, partition: Number(partition) };
}
