import type { ShownRecord } from '@weir/cluster';

/** A record that matches, as JSON, while it waits for its place in the answer. */
export interface FoundRecord {
  readonly offset: number;
  readonly timestampMs: number;
  readonly json: string;
  readonly bytes: number;
}

interface ReadingOptions {
  readonly partition: number;
  readonly direction: 'older' | 'newer';
  readonly logStart: number;
  /** The offset after the last record that can be read. */
  readonly end: number;
  /** Older records are below it, newer ones begin at it. */
  readonly position: number;
  /** Offsets of the first window of older records. */
  readonly windowOffsets: number;
  /** Records and bytes that wait, at most; one record always may. */
  readonly waitingMax: number;
  readonly waitingBytesMax: number;
}

/** Windows of older records grow to this many offsets while they have few bytes. */
const windowOffsetsMax = 8_192;
const windowGrowth = 4;
const fewBytes = 1024 * 1024;

/**
 * How far a read has come in one partition. A log can be read forwards only, so older records are read in windows that
 * lie before each other, each from its beginning.
 *
 *     older:   logStart ──── next window ──▶ bound ◀── waiting, answered ── position
 *     newer:   position ── answered, waiting ──▶ bound ────── next fetch ── end
 */
export class PartitionReading {
  readonly partition: number;
  readonly #options: ReadingOptions;
  /** Matches that are not answered yet, by offset. */
  #waiting: FoundRecord[] = [];
  #waitingBytes = 0;
  /** Everything between the position and this was looked at. */
  #bound: number;
  /** The next offset of the window that is being read. */
  #at: number;
  #windowStart: number;
  #windowOffsets: number;
  #windowBytes = 0;
  #isOver = false;

  constructor(options: ReadingOptions) {
    const { partition, logStart, end, position, windowOffsets, direction } = options;
    this.partition = partition;
    this.#options = options;
    this.#bound = Math.min(Math.max(position, logStart), end);
    this.#windowOffsets = windowOffsets;
    this.#windowStart = this.#bound;
    this.#at = this.#bound;
    if (direction === 'older') this.#beginWindow();
  }

  get #isOlder(): boolean {
    return this.#options.direction === 'older';
  }

  /** Whether all of it was looked at. */
  get isOver(): boolean {
    const { logStart, end } = this.#options;
    return this.#isOver || (this.#isOlder ? this.#bound <= logStart : this.#bound >= end);
  }

  /** Whether it has to be read before the next record of the answer is known. */
  get isNeedy(): boolean {
    return (this.#waiting.length === 0 || this.#isWithinWindow) && !this.isOver;
  }

  get #isWithinWindow(): boolean {
    return this.#isOlder && this.#at > this.#windowStart;
  }

  /** Whether a window has begun and not ended, so that what was found in it cannot be answered. */
  get isWithinWindow(): boolean {
    return this.#isWithinWindow;
  }

  get nextOffset(): number {
    return this.#at;
  }

  /** The offset at which the present window ends. */
  get windowEnd(): number {
    return this.#isOlder ? this.#bound : this.#options.end;
  }

  /** Whether a newer record still has room. */
  get hasRoom(): boolean {
    const { waitingMax, waitingBytesMax } = this.#options;
    return (
      this.#waiting.length === 0 ||
      (this.#waiting.length < waitingMax && this.#waitingBytes < waitingBytesMax)
    );
  }

  /** Counts a record that was looked at. */
  passed(offset: number, bytes: number): void {
    this.#windowBytes += bytes;
    this.#at = offset + 1;
    if (!this.#isOlder) this.#bound = this.#at;
  }

  /** Adds a match. Of a window of older records the newest stay if there are too many. */
  add(found: FoundRecord): void {
    this.#waiting.push(found);
    this.#waitingBytes += found.bytes;
    if (!this.#isOlder) return;
    while (this.#waiting.length > 1 && !this.#fits()) {
      const [dropped] = this.#waiting.splice(0, 1);
      this.#waitingBytes -= dropped!.bytes;
      this.#windowStart = dropped!.offset + 1;
    }
  }

  #fits(): boolean {
    const { waitingMax, waitingBytesMax } = this.#options;
    return this.#waiting.length <= waitingMax && this.#waitingBytes <= waitingBytesMax;
  }

  /** Ends a fetch: records up to an offset were passed, those without a match and markers included. */
  fetchedUpTo(offset: number): void {
    if (offset > this.#at) this.#at = offset;
    if (!this.#isOlder) {
      this.#bound = Math.max(this.#bound, Math.min(this.#at, this.#options.end));
      return;
    }
    if (this.#at < this.#bound) return;
    // The window is over: what was dropped from it is left to the next one.
    this.#bound = this.#windowStart;
    if (this.#windowBytes < fewBytes)
      this.#windowOffsets = Math.min(this.#windowOffsets * windowGrowth, windowOffsetsMax);
    this.#beginWindow();
  }

  #beginWindow(): void {
    const { logStart } = this.#options;
    this.#windowStart = Math.max(logStart, this.#bound - this.#windowOffsets);
    this.#at = this.#windowStart;
    this.#windowBytes = 0;
  }

  /** The rest has no records, or cannot be read. */
  giveUp(): void {
    if (this.#isWithinWindow) this.dropWindow();
    this.#isOver = true;
  }

  /** Forgets what was found in a window that is not read to its end. */
  dropWindow(): void {
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#beginWindow();
  }

  /** The next record of the answer. */
  get first(): FoundRecord | undefined {
    return this.#isOlder ? this.#waiting.at(-1) : this.#waiting[0];
  }

  take(): FoundRecord {
    const found = this.#isOlder ? this.#waiting.pop()! : this.#waiting.shift()!;
    this.#waitingBytes -= found.bytes;
    return found;
  }

  /** Where a read continues: what waits is read again. */
  get restPosition(): number {
    const first = this.first;
    if (first === undefined) return this.#bound;
    return this.#isOlder ? first.offset + 1 : first.offset;
  }

  /** Where the read began, within the log. */
  get startPosition(): number {
    const { position, logStart, end } = this.#options;
    return Math.min(Math.max(position, logStart), end);
  }

  get isAtLogStart(): boolean {
    const position = this.#isOlder ? this.restPosition : this.startPosition;
    return position <= this.#options.logStart;
  }
}

export function foundRecord(record: ShownRecord): FoundRecord {
  const { offset, timestampMs } = record;
  const json = JSON.stringify(record);
  return { offset, timestampMs, json, bytes: Buffer.byteLength(json) };
}
