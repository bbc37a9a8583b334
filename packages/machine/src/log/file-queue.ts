const noSlot = 0xffff_ffff;

/** Files in order of a time, of which any may leave. A file takes 12 bytes; capturing is a copy of two arrays. */
export class FileQueue {
  #slots = new Uint32Array(16);
  #atMs = new Float64Array(16);
  /** Positions between these two are in use, except those of files that left. */
  #first = 0;
  #end = 0;
  #count = 0;
  readonly #onMoved: (slot: number, position: number) => void;

  /** `onMoved` gets the new position of a file whenever it changes. */
  constructor(onMoved: (slot: number, position: number) => void) {
    this.#onMoved = onMoved;
  }

  get count(): number {
    return this.#count;
  }

  /** Adds a file; `atMs` is at least that of every other file. */
  push(slot: number, atMs: number): void {
    if (this.#end === this.#slots.length) this.#makeRoom();
    this.#slots[this.#end] = slot;
    this.#atMs[this.#end] = atMs;
    this.#onMoved(slot, this.#end++);
    this.#count++;
  }

  remove(position: number): void {
    this.#slots[position] = noSlot;
    this.#count--;
    while (this.#first < this.#end && this.#slots[this.#first] === noSlot) this.#first++;
  }

  /** Returns the file that comes first. */
  oldest(): readonly [slot: number, atMs: number] | undefined {
    return this.#count === 0 ? undefined : [this.#slots[this.#first]!, this.#atMs[this.#first]!];
  }

  /** Yields files in order. The queue must not change meanwhile. */
  *oldestFirst(): Generator<readonly [slot: number, atMs: number]> {
    for (let position = this.#first; position < this.#end; position++) {
      const slot = this.#slots[position]!;
      if (slot !== noSlot) yield [slot, this.#atMs[position]!];
    }
  }

  /** Returns copies of both columns. */
  captured(): CapturedFileQueue {
    const slots = new Uint32Array(this.#count);
    const atMs = new Float64Array(this.#count);
    let row = 0;
    for (let position = this.#first; position < this.#end; position++) {
      if (this.#slots[position] === noSlot) continue;
      slots[row] = this.#slots[position]!;
      atMs[row++] = this.#atMs[position]!;
    }
    return { slots, atMs };
  }

  /** Closes the gaps, and doubles the room if there were few. Amortised, as half of the room is free afterwards. */
  #makeRoom(): void {
    const { slots, atMs } = this.captured();
    const room = Math.max(16, 2 * this.#count);
    this.#slots = new Uint32Array(room);
    this.#atMs = new Float64Array(room);
    this.#slots.set(slots);
    this.#atMs.set(atMs);
    this.#first = 0;
    this.#end = this.#count;
    for (let position = 0; position < this.#count; position++) this.#onMoved(slots[position]!, position);
  }
}

export interface CapturedFileQueue {
  readonly slots: Uint32Array;
  readonly atMs: Float64Array;
}
