import { caps } from '@weir/core';
import type { EventTypeName } from '@weir/events/emission';

/** An event as it will be written. */
export interface QueuedEvent {
  readonly text: string;
  readonly timeMs: number;
  readonly bytes: number;
}

/** Events of one type that are written together. */
export interface EventCut {
  readonly type: EventTypeName;
  readonly events: readonly QueuedEvent[];
  readonly bytes: number;
}

export interface QueueLimits {
  readonly eventBytesMax: number;
  readonly bytesMax: number;
  readonly countMax: number;
}

export const usualQueueLimits: QueueLimits = {
  eventBytesMax: caps.eventBytesMax,
  bytesMax: caps.eventQueueBytesMax,
  countMax: caps.eventQueueCountMax,
};

/**
 * What holds events between those who emit them and the bucket. It is bounded in number and in bytes, and whatever was taken out counts until somebody
 * says that it is settled, so that a bucket which is away cannot fill the memory.
 */
export class EventQueue {
  readonly #limits: QueueLimits;
  readonly #waiting = new Map<EventTypeName, QueuedEvent[]>();
  #waitingBytes = 0;
  #heldBytes = 0;
  #heldCount = 0;

  constructor(limits: QueueLimits = usualQueueLimits) {
    this.#limits = limits;
  }

  /** Of those that nobody has taken out yet. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  get heldCount(): number {
    return this.#heldCount;
  }

  /** How many bytes it takes, or why it is not taken. */
  offer(type: EventTypeName, text: string, timeMs: number): number | 'tooLarge' | 'full' {
    const { eventBytesMax, bytesMax, countMax } = this.#limits;
    const bytes = Buffer.byteLength(text);
    if (bytes > eventBytesMax) return 'tooLarge';
    if (this.#heldCount >= countMax || this.#heldBytes + bytes > bytesMax) return 'full';
    let events = this.#waiting.get(type);
    if (events === undefined) {
      events = [];
      this.#waiting.set(type, events);
    }
    events.push({ text, timeMs, bytes });
    this.#waitingBytes += bytes;
    this.#heldBytes += bytes;
    this.#heldCount++;
    return bytes;
  }

  /** Takes out all that waits. Each cut has to be settled. */
  take(): EventCut[] {
    const cuts = Array.from(this.#waiting, ([type, events]) => ({
      type,
      events,
      bytes: events.reduce((sum, { bytes }) => sum + bytes, 0),
    }));
    this.#waiting.clear();
    this.#waitingBytes = 0;
    return cuts;
  }

  /** The cut is written, or never will be. */
  settle({ events, bytes }: EventCut): void {
    this.#heldBytes -= bytes;
    this.#heldCount -= events.length;
  }
}
