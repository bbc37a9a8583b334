/**
 * The files that pointers refer to: 24 bytes per file, however many pointers it has. A slot is freed with the last
 * pointer into its file (L7).
 */
const slabShift = 12;
const slabFiles = 1 << slabShift;
const slabMask = slabFiles - 1;

class Slab {
  readonly ids = Buffer.alloc(16 * slabFiles);
  readonly fileBytes = new Uint32Array(slabFiles);
  readonly pointerCount = new Uint32Array(slabFiles);
}

export class FileTable {
  readonly #slabs: Slab[] = [];
  readonly #freeSlots: number[] = [];
  #retainedSlots: number[] | undefined;
  #slotCount = 0;

  /** Number of files that have a slot. */
  get count(): number {
    return this.#slotCount - this.#freeSlots.length - (this.#retainedSlots?.length ?? 0);
  }

  /** Number of slots ever needed at the same time. */
  get slotCount(): number {
    return this.#slotCount;
  }

  /** Allocates a slot for a file that is about to get its first pointer. */
  add(fileId: string, fileBytes: number): number {
    const slot = this.#allocate(fileBytes);
    this.#slabs[slot >>> slabShift]!.ids.write(fileId, 16 * (slot & slabMask), 16, 'hex');
    return slot;
  }

  /** Like `add`, for an id that is 16 bytes of a buffer. */
  addFrom(source: Buffer, sourceStart: number, fileBytes: number): number {
    const slot = this.#allocate(fileBytes);
    const { ids } = this.#slabs[slot >>> slabShift]!;
    source.copy(ids, 16 * (slot & slabMask), sourceStart, sourceStart + 16);
    return slot;
  }

  countPointer(slot: number): void {
    this.#slabs[slot >>> slabShift]!.pointerCount[slot & slabMask]!++;
  }

  discountPointer(slot: number): void {
    const { pointerCount } = this.#slabs[slot >>> slabShift]!;
    if (--pointerCount[slot & slabMask]! === 0) (this.#retainedSlots ?? this.#freeSlots).push(slot);
  }

  /** From now on, freed slots retain their content for a capture that still reads it. */
  keepFreed(): void {
    this.#retainedSlots ??= [];
  }

  /** Frees the retained slots: the capture has ended. */
  releaseFreed(): void {
    for (const slot of this.#retainedSlots ?? []) this.#freeSlots.push(slot);
    this.#retainedSlots = undefined;
  }

  fileId(slot: number): string {
    const start = 16 * (slot & slabMask);
    return this.#slabs[slot >>> slabShift]!.ids.toString('hex', start, start + 16);
  }

  copyFileId(slot: number, target: Buffer, targetStart: number): void {
    const start = 16 * (slot & slabMask);
    this.#slabs[slot >>> slabShift]!.ids.copy(target, targetStart, start, start + 16);
  }

  fileBytes(slot: number): number {
    return this.#slabs[slot >>> slabShift]!.fileBytes[slot & slabMask]!;
  }

  #allocate(fileBytes: number): number {
    let slot = this.#freeSlots.pop();
    if (slot === undefined) {
      slot = this.#slotCount++;
      if ((slot & slabMask) === 0) this.#slabs.push(new Slab());
    }
    const slab = this.#slabs[slot >>> slabShift]!;
    slab.fileBytes[slot & slabMask] = fileBytes;
    slab.pointerCount[slot & slabMask] = 0;
    return slot;
  }
}
