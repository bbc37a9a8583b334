import { type RecordBatchView, RecordCursor } from '@weir/wire';
import { jobLimits } from '../limits.ts';
import type { RawPage } from './engine.ts';

/**
 * Approximate size of a page: small enough to be processed between two requests, and large enough to be worth sending
 * to another thread.
 */
const rawPageBytes = 1024 * 1024;

interface Part {
  readonly bytes: Buffer;
  readonly at: number;
}

/**
 * Packs the records of batches into pages: the decompressed bytes of several batches, and columns with the position of
 * each value. No record becomes an object.
 */
export class PageBuilder {
  readonly #parts: Part[] = [];
  #bytes = 0;
  #storedBytes = 0;
  #recordCount = 0;
  #firstOffset = 0;
  #timesMs = new Float64Array(1024);
  #starts = new Uint32Array(1024);
  #ends = new Uint32Array(1024);

  get isFull(): boolean {
    return this.#bytes >= rawPageBytes;
  }

  get isEmpty(): boolean {
    return this.#recordCount === 0;
  }

  /** The base offset that the next batch must have to be part of the same page. */
  get nextOffset(): number {
    return this.#firstOffset + this.#recordCount;
  }

  /**
   * Decompresses the batch, unless its decompressed records are given. The offsets of a page have no gap, so that pages
   * end at those that a compaction left; they are returned.
   */
  add(batch: RecordBatchView, baseOffset: number, decompressed?: Buffer): RawPage[] {
    const cursor = new RecordCursor(batch, jobLimits.eventBatchInflatedBytesMax, decompressed);
    const pages: RawPage[] = [];
    let at = this.#bytes;
    let hasRecords = false;
    const endPart = () => {
      if (!hasRecords) return;
      this.#parts.push({ bytes: cursor.decompressed, at });
      this.#bytes += cursor.totalBytes;
    };
    while (cursor.next()) {
      const offset = baseOffset + cursor.offsetDelta;
      if (!this.isEmpty && offset !== this.nextOffset) {
        endPart();
        pages.push(this.take());
        at = 0;
      }
      hasRecords = true;
      if (this.isEmpty) this.#firstOffset = offset;
      const row = this.#recordCount;
      if (row === this.#timesMs.length) this.#grow();
      this.#timesMs[row] = cursor.timestampMs;
      this.#starts[row] = at + cursor.valueStart;
      this.#ends[row] = at + cursor.valueEnd;
      this.#recordCount++;
    }
    endPart();
    this.#storedBytes += batch.sizeBytes;
    return pages;
  }

  /** Returns the page, in memory that is not shared, and resets the builder. */
  take(): RawPage {
    const bytes = new Uint8Array(this.#bytes);
    for (const part of this.#parts) bytes.set(part.bytes, part.at);
    const rows = this.#recordCount;
    const page = {
      firstOffset: this.#firstOffset,
      timesMs: this.#timesMs.slice(0, rows),
      valueStarts: this.#starts.slice(0, rows),
      valueEnds: this.#ends.slice(0, rows),
      bytes,
      storedBytes: this.#storedBytes,
    };
    this.#parts.length = 0;
    this.#bytes = 0;
    this.#storedBytes = 0;
    this.#recordCount = 0;
    return page;
  }

  #grow(): void {
    const times = new Float64Array(this.#timesMs.length * 2);
    const starts = new Uint32Array(times.length);
    const ends = new Uint32Array(times.length);
    times.set(this.#timesMs);
    starts.set(this.#starts);
    ends.set(this.#ends);
    this.#timesMs = times;
    this.#starts = starts;
    this.#ends = ends;
  }
}
