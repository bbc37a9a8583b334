import type { AbortedTransactions, Pointers } from '@weir/cluster';
import type { PointerRing } from './pointer-ring.ts';
import { TailMarkers } from './tail-markers.ts';

/** Every so many pointers one is linked to by all that follow, until the next of them. */
const landmarkInterval = 64;
const none = -1;

/**
 * The newest pointers of one partition, contiguous. New ones are appended, and the oldest are dropped when there are
 * too many, in the partition or overall. There is one of these for each of very many partitions, so it has few fields.
 */
export class PartitionTail {
  readonly #ring: PointerRing;
  /** Slots of the ring. */
  #oldest = none;
  #newest = none;
  #landmark = none;
  #size = 0;
  #sinceLandmark = 0;
  /** Created for the first transaction marker. */
  #markers: TailMarkers | undefined;

  constructor(ring: PointerRing) {
    this.#ring = ring;
  }

  get size(): number {
    return this.#size;
  }

  /** The first offset of the tail, or `undefined` if there is none. */
  get start(): number | undefined {
    return this.#size === 0 ? undefined : this.#ring.baseOffset[this.#oldest];
  }

  /** The offset after the last pointer, or `undefined` if there is none. */
  get end(): number | undefined {
    return this.#size === 0 ? undefined : this.#ring.nextOffset[this.#newest];
  }

  push(pointers: Pointers, row: number): void {
    const ring = this.#ring;
    // First of all: it may drop the oldest pointer of this tail.
    const slot = ring.take(this);
    ring.put(slot, pointers, row);
    ring.older[slot] = this.#newest;
    ring.muchOlder[slot] = this.#landmark;
    if (this.#size === 0) this.#oldest = slot;
    else ring.newer[this.#newest] = slot;
    this.#newest = slot;
    this.#size++;
    this.#sinceLandmark++;
    if (this.#sinceLandmark === landmarkInterval) {
      this.#landmark = slot;
      this.#sinceLandmark = 0;
    }
    if (pointers.fileId[row] === '') this.#pushMarker(pointers, row);
  }

  #pushMarker({ baseOffset, markers }: Pointers, row: number): void {
    this.#markers ??= new TailMarkers();
    this.#markers.push(baseOffset[row]!, markers!, markers!.row.indexOf(row));
  }

  /** Records which of the transactions that ended in the tail were aborted. */
  noteAborted(aborted: AbortedTransactions): void {
    this.#markers?.noteAborted(aborted);
  }

  dropOldest(): void {
    if (this.#size === 0) return;
    const slot = this.#oldest;
    this.#markers?.dropBelow(this.#ring.nextOffset[slot]!);
    this.#ring.release(slot);
    this.#size--;
    this.#oldest = this.#size === 0 ? none : this.#ring.newer[slot]!;
    if (this.#size === 0) this.#newest = none;
  }

  clear(): void {
    while (this.#size > 0) this.dropOldest();
    this.#markers = undefined;
  }

  /**
   * Returns pointers from the one that contains `offset`, until their bytes from there on reach `bytesMax`, as far as
   * that can be estimated; `undefined` if the tail does not contain it.
   */
  from(offset: number, bytesMax: number): Pointers | undefined {
    const ring = this.#ring;
    const { start, end } = this;
    if (start === undefined || end === undefined || offset < start || offset > end) return undefined;
    const slots: number[] = [];
    let slot = offset === end ? none : this.#slotOf(offset);
    for (let bytes = 0; slot !== none && (slots.length === 0 || bytes < bytesMax); ) {
      // Bytes before the offset are not sent, and must not keep an answer from being filled.
      const nextOffset = ring.nextOffset[slot]!;
      const baseOffset = ring.baseOffset[slot]!;
      const share = (nextOffset - Math.max(offset, baseOffset)) / (nextOffset - baseOffset);
      slots.push(slot);
      bytes += share * ring.byteLength[slot]!;
      slot = slot === this.#newest ? none : ring.newer[slot]!;
    }
    const pointers = ring.at(slots);
    if (this.#markers === undefined || this.#markers.size === 0) return pointers;
    const rows = pointers.fileId.flatMap((fileId, row) => (fileId === '' ? [row] : []));
    if (rows.length === 0) return pointers;
    return { ...pointers, markers: this.#markers.amongRows(pointers.baseOffset[0]!, rows) };
  }

  /**
   * Returns the transactions aborted between an offset that `from` finds and another, by first offset; `undefined` if
   * none.
   */
  abortedIn(offset: number, endOffset: number): AbortedTransactions | undefined {
    return this.#markers?.aborted(offset, endOffset);
  }

  /** Returns the slot that contains an offset of the tail. Most readers are near the end, so it searches backwards. */
  #slotOf(offset: number): number {
    const ring = this.#ring;
    let slot = this.#newest;
    while (ring.baseOffset[slot]! > offset) {
      const landmark = ring.muchOlder[slot]!;
      slot = this.#isBetween(offset, landmark, slot) ? landmark : ring.older[slot]!;
    }
    return slot;
  }

  /** Whether a landmark is behind an offset. A slot that was taken anew has another owner, or newer records. */
  #isBetween(offset: number, landmark: number, slot: number): boolean {
    const { baseOffset } = this.#ring;
    return (
      this.#ring.belongsTo(landmark, this) &&
      baseOffset[landmark]! > offset &&
      baseOffset[landmark]! < baseOffset[slot]!
    );
  }
}
