import { coreLimits } from '@weir/core';
import type { EventTypeName } from '@weir/events/emission';
import type { ValueToWrite } from '@weir/wire';
import { agentLimits } from '../limits.ts';
import { EventDraft, SpareMemory } from './event-batch.ts';

/** Events of one type that are written together. */
export interface EventCut {
  readonly type: EventTypeName;
  readonly draft: EventDraft;
}

export interface QueueLimits {
  readonly eventBytesMax: number;
  readonly bytesMax: number;
  readonly countMax: number;
}

const usualQueueLimits: QueueLimits = {
  eventBytesMax: coreLimits.eventBytesMax,
  bytesMax: agentLimits.eventQueueBytesMax,
  countMax: agentLimits.eventQueueCountMax,
};

/**
 * Holds events between emitters and the bucket. It is bounded in number and in bytes, and events that were taken out
 * count until they are settled, so that an unavailable bucket cannot fill the memory.
 */
export class EventQueue {
  readonly #limits: QueueLimits;
  readonly #waiting = new Map<EventTypeName, EventDraft>();
  readonly #spares = new SpareMemory();
  #waitingBytes = 0;
  #heldBytes = 0;
  #heldCount = 0;

  constructor(limits: QueueLimits = usualQueueLimits) {
    this.#limits = limits;
  }

  /** Bytes of events that were not taken out yet. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  get heldCount(): number {
    return this.#heldCount;
  }

  /** Returns the bytes of the event, or why it was not accepted. An accepted event is serialized at once. */
  offer(type: EventTypeName, event: ValueToWrite, timeMs: number): number | 'tooLarge' | 'full' {
    const { eventBytesMax, bytesMax, countMax } = this.#limits;
    const { byteLength } = event;
    if (byteLength > eventBytesMax) return 'tooLarge';
    if (this.#heldCount >= countMax || this.#heldBytes + byteLength > bytesMax) return 'full';
    let draft = this.#waiting.get(type);
    if (draft === undefined) {
      draft = new EventDraft(this.#spares);
      this.#waiting.set(type, draft);
    }
    draft.append(event, timeMs);
    this.#waitingBytes += byteLength;
    this.#heldBytes += byteLength;
    this.#heldCount++;
    return byteLength;
  }

  /** Takes out all waiting events. Each cut must be settled. */
  take(): EventCut[] {
    const cuts = Array.from(this.#waiting, ([type, draft]) => ({ type, draft }));
    this.#waiting.clear();
    this.#waitingBytes = 0;
    return cuts;
  }

  /** Called when the cut is written, or never will be. */
  settle({ draft }: EventCut): void {
    this.#heldBytes -= draft.eventBytes;
    this.#heldCount -= draft.count;
  }
}
