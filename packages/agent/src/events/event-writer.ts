import type { Random } from '@weir/core';
import {
  type EventData,
  EventIds,
  type EventTypeName,
  eventIdOpening,
  eventOpening,
} from '@weir/events/emission';
import type { ValueToWrite } from '@weir/wire';

export interface EventWriterOptions {
  readonly source: string;
  /** What all events of the emitter say. It counts also where a payload says otherwise. */
  readonly common: Readonly<Record<string, string>>;
  readonly random: Random;
}

/** What stands before the payloads of events of one type and millisecond, all but the digits of their ids that are counted. */
interface Opening {
  readonly bytes: Buffer;
  readonly idTail: string;
}

/** Where the digits stand that count ids: behind a quote. */
const countedAt = (head: string) => eventIdOpening.length + 1 + head.length;

/**
 * Writes events of one emitter as `serializeEvent` does, byte for byte, but straight to where they are gathered. Most of an event is the same as in the
 * one before, and is copied; only its payload is made text. An agent that emits ten thousand a second has no time for more.
 */
export class EventWriter {
  readonly #source: string;
  readonly #common: Readonly<Record<string, string>>;
  readonly #commonKeys: readonly string[];
  readonly #ids: EventIds;
  readonly #openings = new Map<EventTypeName, Opening>();
  /** These stand in the place of the last brace of a payload: one that says something, one that says nothing, one that says all by itself. */
  readonly #afterSome: Buffer;
  readonly #afterNone: Buffer;
  readonly #afterAll = Buffer.from('}}');
  readonly #event = new WrittenEvent();

  constructor({ source, common, random }: EventWriterOptions) {
    this.#source = source;
    this.#common = common;
    this.#commonKeys = Object.keys(common);
    this.#ids = new EventIds(random);
    const commonText = JSON.stringify(common).slice(1);
    this.#afterSome = Buffer.from(`,${commonText}}`);
    this.#afterNone = Buffer.from(`${commonText}}`);
  }

  /** The event, which can be written until the next is made. */
  event(type: EventTypeName, timeMs: number, data: EventData): ValueToWrite {
    const counted = this.#ids.count(timeMs);
    const opening = this.#openingOf(type, timeMs);
    opening.write(counted, countedAt(this.#ids.head), 'latin1');
    if (this.#saysCommon(data)) {
      const text = JSON.stringify({ ...data, ...this.#common });
      return this.#event.set(opening, text, this.#afterAll);
    }
    const text = JSON.stringify(data);
    return this.#event.set(opening, text, text === '{}' ? this.#afterNone : this.#afterSome);
  }

  #openingOf(type: EventTypeName, timeMs: number): Buffer {
    const { head, tail } = this.#ids;
    const known = this.#openings.get(type);
    if (known?.idTail === tail) return known.bytes;
    const bytes = Buffer.from(eventOpening({ id: `${head}000${tail}`, source: this.#source, type, timeMs }));
    this.#openings.set(type, { bytes, idTail: tail });
    return bytes;
  }

  #saysCommon(data: EventData): boolean {
    for (const key of this.#commonKeys) if (Object.hasOwn(data, key)) return true;
    return false;
  }
}

/** One that is used again and again. */
class WrittenEvent implements ValueToWrite {
  byteLength = 0;
  #opening: Buffer = Buffer.alloc(0);
  #payload = '';
  #closing: Buffer = Buffer.alloc(0);

  /** The closing stands in the place of the payload's last brace. */
  set(opening: Buffer, payload: string, closing: Buffer): this {
    this.#opening = opening;
    this.#payload = payload;
    this.#closing = closing;
    this.byteLength = opening.length + Buffer.byteLength(payload) - 1 + closing.length;
    return this;
  }

  writeTo(target: Buffer, at: number): void {
    this.#opening.copy(target, at);
    target.write(this.#payload, at + this.#opening.length, 'utf8');
    this.#closing.copy(target, at + this.byteLength - this.#closing.length);
  }
}
