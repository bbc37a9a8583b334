import { KiB, type Random } from '@weir/core';
import {
  type EventData,
  EventIds,
  type EventTypeName,
  eventIdOpening,
  eventOpening,
} from '@weir/events/emission';
import type { ValueToWrite } from '@weir/wire';
import { JsonBytes } from './json-bytes.ts';

interface EventWriterOptions {
  readonly source: string;
  /** Fields of all events of the emitter. They override the same fields of a payload. */
  readonly common: Readonly<Record<string, string>>;
  readonly random: Random;
}

/** A larger buffer is not reused, so that a large event does not pin memory. */
const reusedBytesMax = 64 * KiB;

/**
 * Writes events of one emitter as `serializeEvent` does, byte for byte. Most of an event is the same as in the previous
 * event of its type and is already in the buffer; only the payload is written anew.
 */
export class EventWriter {
  readonly #source: string;
  readonly #common: Readonly<Record<string, string>>;
  readonly #commonNames: readonly string[];
  readonly #ids: EventIds;
  readonly #drafts = new Map<EventTypeName, DraftOfType>();
  /** Endings after a payload with fields, an empty payload, and a payload that contains the common fields itself. */
  readonly #afterSome: Buffer;
  readonly #afterNone: Buffer;
  readonly #afterAll = Buffer.from('}}');

  constructor({ source, common, random }: EventWriterOptions) {
    this.#source = source;
    this.#common = common;
    this.#commonNames = Object.keys(common);
    this.#ids = new EventIds(random);
    const commonText = JSON.stringify(common).slice(1);
    this.#afterSome = Buffer.from(`,${commonText}}`);
    this.#afterNone = Buffer.from(`${commonText}}`);
  }

  /** Returns the event, which is valid until the next event of its type. Throws for data that is not JSON. */
  event(type: EventTypeName, timeMs: number, data: EventData): ValueToWrite {
    const counted = this.#ids.count(timeMs);
    const draft = this.#draftOf(type, timeMs);
    draft.begin(counted);
    const { json } = draft;
    if (this.#hasCommonName(data)) {
      json.members({ ...data, ...this.#common });
      json.raw(this.#afterAll);
    } else {
      json.raw(json.members(data) ? this.#afterSome : this.#afterNone);
    }
    return draft;
  }

  #draftOf(type: EventTypeName, timeMs: number): DraftOfType {
    const { head, tail } = this.#ids;
    const known = this.#drafts.get(type);
    if (known?.idTail === tail && known.json.bytes.length <= reusedBytesMax) return known;
    const opening = eventOpening({ id: `${head}000${tail}`, source: this.#source, type, timeMs });
    const draft = new DraftOfType(opening, head, tail, known?.json);
    this.#drafts.set(type, draft);
    return draft;
  }

  #hasCommonName(data: EventData): boolean {
    for (const name of this.#commonNames) if (Object.hasOwn(data, name)) return true;
    return false;
  }
}

/** Events of one type and millisecond, one after the other. */
class DraftOfType implements ValueToWrite {
  readonly json: JsonBytes;
  readonly idTail: string;
  readonly #countedAt: number;
  readonly #payloadAt: number;

  constructor(opening: string, idHead: string, idTail: string, used: JsonBytes | undefined) {
    this.json = used === undefined || used.bytes.length > reusedBytesMax ? new JsonBytes() : used;
    this.json.at = 0;
    this.json.raw(Buffer.from(`${opening}{`));
    this.#payloadAt = this.json.at;
    this.idTail = idTail;
    // After the opening quote.
    this.#countedAt = eventIdOpening.length + 1 + idHead.length;
  }

  get byteLength(): number {
    return this.json.at;
  }

  /**
   * Begins the next event: everything before the payload is already there, except the three counted digits of its id.
   */
  begin(counted: string): void {
    const { bytes } = this.json;
    for (let n = 0; n < counted.length; n++) bytes[this.#countedAt + n] = counted.charCodeAt(n);
    this.json.at = this.#payloadAt;
  }

  writeTo(target: Buffer, at: number): void {
    this.json.bytes.copy(target, at, 0, this.json.at);
  }
}
