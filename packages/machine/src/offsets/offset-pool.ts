/**
 * The committed offsets of all groups, 28 bytes each, in typed arrays of one size that are never moved. Rare fields are
 * stored separately, so that most offsets do not pay for them.
 */
const slabShift = 12;
const slabRows = 1 << slabShift;
const slabMask = slabRows - 1;

class Slab {
  readonly offset = new Float64Array(slabRows);
  readonly committedMs = new Float64Array(slabRows);
  readonly sequence = new Float64Array(slabRows);
  readonly leaderEpoch = new Int32Array(slabRows);
}

/** The committed offset of one partition. */
export interface OffsetValue {
  readonly offset: number;
  /** -1 if the client did not send it. */
  readonly leaderEpoch: number;
  readonly metadata: string;
  readonly committedMs: number;
  /** When it expires, if the client sent a retention; otherwise `undefined`. */
  readonly expiresMs: number | undefined;
  /** Increases with every commit of the cluster, to order commits within a millisecond. */
  readonly sequence: number;
}

export class OffsetPool {
  readonly #slabs: Slab[] = [];
  readonly #free: number[] = [];
  readonly #metadata = new Map<number, string>();
  readonly #expiresMs = new Map<number, number>();
  #slotCount = 0;

  /** Allocates a slot. */
  allocate(): number {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#slotCount % slabRows === 0) this.#slabs.push(new Slab());
    return this.#slotCount++;
  }

  free(slot: number): void {
    this.#metadata.delete(slot);
    this.#expiresMs.delete(slot);
    this.#free.push(slot);
  }

  write(slot: number, value: OffsetValue): void {
    const slab = this.#slabs[slot >>> slabShift]!;
    const row = slot & slabMask;
    slab.offset[row] = value.offset;
    slab.committedMs[row] = value.committedMs;
    slab.sequence[row] = value.sequence;
    slab.leaderEpoch[row] = value.leaderEpoch;
    if (value.metadata !== '') this.#metadata.set(slot, value.metadata);
    else this.#metadata.delete(slot);
    if (value.expiresMs !== undefined) this.#expiresMs.set(slot, value.expiresMs);
    else this.#expiresMs.delete(slot);
  }

  read(slot: number): OffsetValue {
    const slab = this.#slabs[slot >>> slabShift]!;
    const row = slot & slabMask;
    return {
      offset: slab.offset[row]!,
      leaderEpoch: slab.leaderEpoch[row]!,
      metadata: this.metadata(slot),
      committedMs: slab.committedMs[row]!,
      expiresMs: this.#expiresMs.get(slot),
      sequence: slab.sequence[row]!,
    };
  }

  offset(slot: number): number {
    return this.#slabs[slot >>> slabShift]!.offset[slot & slabMask]!;
  }

  sequence(slot: number): number {
    return this.#slabs[slot >>> slabShift]!.sequence[slot & slabMask]!;
  }

  metadata(slot: number): string {
    return this.#metadata.get(slot) ?? '';
  }
}
