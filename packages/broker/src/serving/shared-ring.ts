/** Words before the data: the end of what was written, the end of what was read, and whether the reader sleeps. */
const writtenAt = 0;
const readAt = 1;
const sleepsAt = 2;
const headWords = 16;

/** How often a writer that waits for room looks for it. Readers give no signal, because this is rare. */
const pollMs = 1;

/** Records longer than this are refused: a writer splits them. */
export const ringRecordWordsMax = 4096;

/** Creates the memory of a ring. `words` is a power of two and holds several of the longest records. */
export function ringMemory(words: number): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(4 * (headWords + words));
  // A reader that has not started is woken like one that sleeps.
  new Int32Array(memory)[sleepsAt] = 1;
  return memory;
}

/**
 * The writer's end of a queue between two threads: records of 32-bit words, read in the order in which they were
 * written. Written records become visible together, with `flush`, which wakes the reader only if it sleeps.
 *
 * When there is no room, a thread that only passes bytes on waits for the reader (`blocks`). The main thread must not
 * wait for another: its records stay in its own memory until there is room, and it limits what it has under way.
 */
export class RingWriter {
  readonly #state: Int32Array;
  readonly #data: Int32Array;
  readonly #mask: number;
  readonly #wake: () => void;
  readonly #blocks: boolean;
  readonly #waiting: number[] = [];
  /** Counters of words; they wrap at 32 bits. */
  #end = 0;
  #limit: number;

  constructor(memory: SharedArrayBuffer, wake: () => void, blocks: boolean) {
    this.#state = new Int32Array(memory, 0, headWords);
    this.#data = new Int32Array(memory, 4 * headWords);
    this.#mask = this.#data.length - 1;
    this.#limit = this.#data.length;
    this.#wake = wake;
    this.#blocks = blocks;
  }

  write(record: readonly number[]): void {
    if (record.length > ringRecordWordsMax) throw new RangeError(`a record of ${record.length} words`);
    if (this.#blocks) this.#waitForRoom(1 + record.length);
    if (this.#waiting.length > 0 || !this.#hasRoom(1 + record.length)) {
      this.#waiting.push(record.length);
      for (const word of record) this.#waiting.push(word);
      return;
    }
    this.#put(record.length);
    for (const word of record) this.#put(word);
  }

  /** Makes the records visible. Returns whether all of them are; if not, call it again later. */
  flush(): boolean {
    this.publish();
    const isRead = Atomics.load(this.#state, readAt) === this.#end;
    if (!isRead && Atomics.compareExchange(this.#state, sleepsAt, 1, 0) === 1) this.#wake();
    return this.#waiting.length === 0;
  }

  /** Makes the records visible to a reader that is awake, and leaves one that sleeps asleep. */
  publish(): void {
    this.#moveWaiting();
    Atomics.store(this.#state, writtenAt, this.#end);
  }

  #moveWaiting(): void {
    const waiting = this.#waiting;
    let at = 0;
    while (at < waiting.length && this.#hasRoom(1 + waiting[at]!)) {
      for (const end = at + 1 + waiting[at]!; at < end; at++) this.#put(waiting[at]!);
    }
    if (at === waiting.length) waiting.length = 0;
    else if (at > 0) waiting.splice(0, at);
  }

  #waitForRoom(words: number): void {
    while (!this.#hasRoom(words)) {
      this.flush();
      Atomics.wait(this.#state, readAt, Atomics.load(this.#state, readAt), pollMs);
    }
  }

  #hasRoom(words: number): boolean {
    if (((this.#limit - this.#end) | 0) >= words) return true;
    this.#limit = (Atomics.load(this.#state, readAt) + this.#data.length) | 0;
    return ((this.#limit - this.#end) | 0) >= words;
  }

  #put(word: number): void {
    this.#data[this.#end & this.#mask] = word;
    this.#end = (this.#end + 1) | 0;
  }
}

/** The reader's end. */
export class RingReader {
  readonly #state: Int32Array;
  readonly #data: Int32Array;
  readonly #mask: number;
  #at = 0;
  #recordEnd = 0;

  constructor(memory: SharedArrayBuffer) {
    this.#state = new Int32Array(memory, 0, headWords);
    this.#data = new Int32Array(memory, 4 * headWords);
    this.#mask = this.#data.length - 1;
  }

  /** The end of what is visible now, for `next`. */
  visible(): number {
    return Atomics.load(this.#state, writtenAt);
  }

  /** Goes to the next record before `end`. Returns whether there is one. */
  next(end: number): boolean {
    this.#at = this.#recordEnd;
    // The room of the records before it can be written again.
    Atomics.store(this.#state, readAt, this.#at);
    if (this.#at === end) return false;
    const words = this.word();
    this.#recordEnd = (this.#at + words) | 0;
    return true;
  }

  /** Takes the next word of the record. */
  word(): number {
    const word = this.#data[this.#at & this.#mask]!;
    this.#at = (this.#at + 1) | 0;
    return word;
  }

  /** Called when everything was read. Returns `false` if there is more; otherwise the writer wakes this thread. */
  sleep(): boolean {
    Atomics.store(this.#state, sleepsAt, 1);
    if (this.visible() === this.#recordEnd) return true;
    // The writer may have sent its signal already, which then finds nothing to do.
    Atomics.store(this.#state, sleepsAt, 0);
    return false;
  }
}
