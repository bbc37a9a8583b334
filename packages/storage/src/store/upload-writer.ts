import { KiB } from '@weir/core';
import { storageLimits } from '../limits.ts';
import type { ObjectUpload } from './object-store.ts';

interface UploadWriterOptions {
  /** Parts that are stored at the same time. */
  readonly partsInFlightMax: number;
  readonly partBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Memory that the first part begins with. */
const firstBytes = 64 * KiB;

/**
 * Writes an object of any size in parts, in memory for `partsInFlightMax + 1` parts. The first failure is thrown by the
 * next call; the owner then aborts.
 */
export class UploadWriter {
  readonly #upload: ObjectUpload;
  readonly #partBytes: number;
  readonly #partsInFlightMax: number;
  readonly #signal: AbortSignal | undefined;
  readonly #spare: Buffer[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  #part: Buffer | undefined;
  #filled = 0;
  #partCount = 0;
  #failure: { readonly error: unknown } | undefined;
  /** Bytes that were written. */
  bytes = 0;

  constructor(upload: ObjectUpload, { partsInFlightMax, partBytes, signal }: UploadWriterOptions) {
    this.#upload = upload;
    this.#partBytes = partBytes ?? storageLimits.uploadPartBytes;
    this.#partsInFlightMax = partsInFlightMax;
    this.#signal = signal;
  }

  /** Copies bytes. Returns a promise if it must wait for earlier parts. */
  write(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#failure === undefined && this.#filled + bytes.length < this.#partBytes) {
      this.#copy(bytes, 0, bytes.length);
      return undefined;
    }
    return this.#writeOver(bytes);
  }

  async finish(): Promise<void> {
    if (this.#filled > 0) this.#send();
    await Promise.all(this.#inFlight);
    this.#check();
    await this.#upload.finish(this.#partCount, { signal: this.#signal });
    this.#release();
  }

  /** Removes what was stored. Never throws: what is left over is invisible. */
  async abort(): Promise<void> {
    this.#failure ??= { error: new Error('the upload was aborted') };
    await Promise.all(this.#inFlight);
    this.#release();
    await this.#upload.abort().catch(() => undefined);
  }

  async #writeOver(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      this.#check();
      const end = Math.min(bytes.length, at + this.#partBytes - this.#filled);
      this.#copy(bytes, at, end);
      at = end;
      if (this.#filled < this.#partBytes) continue;
      this.#send();
      while (this.#inFlight.size >= this.#partsInFlightMax) await Promise.race(this.#inFlight);
    }
    this.#check();
  }

  #copy(bytes: Uint8Array, start: number, end: number): void {
    const part = this.#partFor(this.#filled + end - start);
    part.set(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end), this.#filled);
    this.#filled += end - start;
    this.bytes += end - start;
  }

  /** The memory of the current part. That of the first grows, because most objects have less than one part. */
  #partFor(neededBytes: number): Buffer {
    this.#part ??=
      this.#spare.pop() ??
      Buffer.allocUnsafeSlow(this.#partCount === 0 ? Math.min(firstBytes, this.#partBytes) : this.#partBytes);
    if (neededBytes <= this.#part.length) return this.#part;
    const larger = Math.max(neededBytes, 2 * this.#part.length);
    const grown = Buffer.allocUnsafeSlow(Math.min(larger, this.#partBytes));
    this.#part.copy(grown, 0, 0, this.#filled);
    this.#part = grown;
    return grown;
  }

  #send(): void {
    const part = this.#part!;
    const content = [part.subarray(0, this.#filled)];
    this.#part = undefined;
    this.#filled = 0;
    const stored = this.#upload.putPart(this.#partCount++, content, { signal: this.#signal }).then(
      () => void this.#spare.push(part),
      (error: unknown) => {
        this.#failure ??= { error };
      },
    );
    this.#inFlight.add(stored);
    void stored.then(() => this.#inFlight.delete(stored));
  }

  #check(): void {
    this.#signal?.throwIfAborted();
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #release(): void {
    this.#spare.length = 0;
    this.#part = undefined;
  }
}
