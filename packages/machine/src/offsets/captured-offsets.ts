import type { OffsetLayout } from './offset-field.ts';
import type { StoredOffset } from './stored-offset.ts';

export interface PendingOfProducer {
  readonly producerId: number;
  readonly groupId: string;
  readonly stored: StoredOffset;
}

/**
 * The offsets of one moment, group by group. They are read while the machine continues: the offsets of a group that is
 * about to change before it was read are saved here.
 */
export class CapturedOffsets {
  readonly layout: OffsetLayout;
  readonly nextSequence: number;
  readonly pending: readonly PendingOfProducer[];
  readonly #groupIds: readonly string[];
  /** Groups that have not been read. */
  readonly #waiting: Set<string>;
  readonly #left = new Map<string, readonly StoredOffset[]>();
  readonly #offsetsOf: (groupId: string) => readonly StoredOffset[];

  constructor(
    layout: OffsetLayout,
    nextSequence: number,
    groupIds: readonly string[],
    pending: readonly PendingOfProducer[],
    offsetsOf: (groupId: string) => readonly StoredOffset[],
  ) {
    this.layout = layout;
    this.nextSequence = nextSequence;
    this.pending = pending;
    this.#groupIds = groupIds;
    this.#waiting = new Set(groupIds);
    this.#offsetsOf = offsetsOf;
  }

  get groupCount(): number {
    return this.#groupIds.length;
  }

  /** Ignores groups that were added after the capture. */
  beforeChange(groupId: string): void {
    if (this.#waiting.delete(groupId)) this.#left.set(groupId, this.#offsetsOf(groupId));
  }

  *groups(): Generator<{ groupId: string; offsets: readonly StoredOffset[] }> {
    for (const groupId of this.#groupIds) {
      const left = this.#left.get(groupId);
      this.#left.delete(groupId);
      this.#waiting.delete(groupId);
      yield { groupId, offsets: left ?? this.#offsetsOf(groupId) };
    }
  }
}
