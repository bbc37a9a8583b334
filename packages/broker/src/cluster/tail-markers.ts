import type { AbortedTransactions, Markers } from '@weir/cluster';

/** The end of a transaction in the tail of a partition. */
interface TailMarker {
  readonly offset: number;
  readonly isCommit: number;
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly timestampMs: number;
  /** First offset of the aborted records; -1 if there are none. */
  abortedFrom: number;
}

/**
 * The ends of transactions in the tail of one partition, by offset. They determine what a `read_committed` reader has
 * to skip: an aborted transaction with a record in the tail has its end there too.
 */
export class TailMarkers {
  #markers: TailMarker[] = [];
  /** Markers before this one are dropped and wait to be removed together. */
  #first = 0;

  get size(): number {
    return this.#markers.length - this.#first;
  }

  push(offset: number, markers: Markers, index: number): void {
    this.#markers.push({
      offset,
      isCommit: markers.isCommit[index]!,
      producerId: markers.producerId[index]!,
      producerEpoch: markers.producerEpoch[index]!,
      timestampMs: markers.timestampMs[index]!,
      abortedFrom: -1,
    });
  }

  /** Records aborted transactions. Those whose end is not in the tail are ignored. */
  noteAborted({ firstOffset, lastOffset }: AbortedTransactions): void {
    for (const [row, offset] of lastOffset.entries()) {
      const marker = this.#markers[this.#indexFrom(offset)];
      if (marker?.offset === offset) marker.abortedFrom = firstOffset[row]!;
    }
  }

  dropBelow(offset: number): void {
    while (this.size > 0 && this.#markers[this.#first]!.offset < offset) this.#first++;
    if (this.#first * 2 < this.#markers.length) return;
    this.#markers.splice(0, this.#first);
    this.#first = 0;
  }

  /** Returns the markers among rows of pointers that begin at `offset`. */
  amongRows(offset: number, rows: readonly number[]): Markers {
    const first = this.#indexFrom(offset);
    const markers = this.#markers.slice(first, first + rows.length);
    return {
      row: Uint32Array.from(rows),
      isCommit: Uint8Array.from(markers, ({ isCommit }) => isCommit),
      producerId: Float64Array.from(markers, ({ producerId }) => producerId),
      producerEpoch: Int16Array.from(markers, ({ producerEpoch }) => producerEpoch),
      timestampMs: Float64Array.from(markers, ({ timestampMs }) => timestampMs),
    };
  }

  /** Returns the transactions aborted in `[offset, endOffset)`, by first offset; `undefined` if none. */
  aborted(offset: number, endOffset: number): AbortedTransactions | undefined {
    const found: TailMarker[] = [];
    for (let index = this.#indexFrom(offset); index < this.#markers.length; index++) {
      const marker = this.#markers[index]!;
      if (marker.abortedFrom >= 0 && marker.abortedFrom < endOffset) found.push(marker);
    }
    if (found.length === 0) return undefined;
    found.sort((one, other) => one.abortedFrom - other.abortedFrom);
    return {
      producerId: Float64Array.from(found, ({ producerId }) => producerId),
      firstOffset: Float64Array.from(found, ({ abortedFrom }) => abortedFrom),
      lastOffset: Float64Array.from(found, ({ offset }) => offset),
    };
  }

  /** Returns the first marker at or after an offset. */
  #indexFrom(offset: number): number {
    let low = this.#first;
    let high = this.#markers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#markers[middle]!.offset >= offset) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
