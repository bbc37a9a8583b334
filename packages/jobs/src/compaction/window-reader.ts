import { ObjectNotFound, type ObjectStore } from '@weir/storage';
import { type InputRange, planWindows, type WindowLimits } from './window-plan.ts';

interface WindowReaderOptions extends WindowLimits {
  readonly store: ObjectStore;
  readonly keyOf: (fileId: string) => string;
  /** Windows are read ahead while all that are in memory have fewer bytes. */
  readonly bytesMax: number;
  readonly requestsMax: number;
  readonly signal: AbortSignal;
}

/** The bytes of a window; `undefined` if its file does not exist. */
type Content = Buffer | undefined;

/**
 * Reads ranges in their order, in windows, some of them ahead. Memory is bounded by `bytesMax`, by one window per file,
 * and by the largest range.
 */
export class WindowReader {
  readonly #options: WindowReaderOptions;
  readonly #ranges: readonly InputRange[];
  readonly #windows;
  readonly #windowOf;
  readonly #loading = new Map<number, Promise<Content>>();
  readonly #loaded = new Map<number, Content>();
  #requested = 0;
  #running = 0;
  /** Of windows that were requested and not released. */
  #bytes = 0;
  bytesRead = 0;
  requestCount = 0;
  bytesHeldMax = 0;

  constructor(ranges: readonly InputRange[], options: WindowReaderOptions) {
    this.#options = options;
    this.#ranges = ranges;
    const { windows, windowOf } = planWindows(ranges, options);
    this.#windows = windows;
    this.#windowOf = windowOf;
  }

  /**
   * Returns the bytes of a range, which are fewer if the file ends before it, and `undefined` if there is no such file;
   * synchronously if they are in memory. Ranges are read in order, each once, after the one before was used.
   */
  read(index: number): Content | Promise<Content> {
    if (index > 0) this.#release(index - 1);
    const number = this.#windowOf[index]!;
    if (this.#loaded.has(number)) return this.#cut(index, this.#loaded.get(number));
    while (this.#requested <= number) this.#request();
    this.#readAhead();
    return this.#wait(index, number);
  }

  async #wait(index: number, number: number): Promise<Content> {
    const content = await this.#loading.get(number)!;
    this.#loading.delete(number);
    this.#loaded.set(number, content);
    this.#readAhead();
    return this.#cut(index, content);
  }

  #cut(index: number, content: Content): Content {
    const { byteStart, byteEnd } = this.#ranges[index]!;
    const windowStart = this.#windows[this.#windowOf[index]!]!.byteStart;
    return content?.subarray(byteStart - windowStart, byteEnd - windowStart);
  }

  #release(index: number): void {
    const number = this.#windowOf[index]!;
    const { lastRange, byteStart, byteEnd } = this.#windows[number]!;
    if (lastRange !== index) return;
    this.#loaded.delete(number);
    this.#bytes -= byteEnd - byteStart;
    this.#readAhead();
  }

  #readAhead(): void {
    const { bytesMax, requestsMax } = this.#options;
    while (this.#requested < this.#windows.length && this.#running < requestsMax) {
      const { byteStart, byteEnd } = this.#windows[this.#requested]!;
      if (this.#bytes + byteEnd - byteStart > bytesMax) return;
      this.#request();
    }
  }

  #request(): void {
    const number = this.#requested++;
    const { fileId, byteStart, byteEnd } = this.#windows[number]!;
    this.#bytes += byteEnd - byteStart;
    this.bytesHeldMax = Math.max(this.bytesHeldMax, this.#bytes);
    this.#running++;
    const loading = this.#load(fileId, byteStart, byteEnd);
    // The error is thrown when the window is needed.
    loading.catch(() => undefined);
    this.#loading.set(number, loading);
  }

  async #load(fileId: string, byteStart: number, byteEnd: number): Promise<Content> {
    const { store, keyOf, signal } = this.#options;
    try {
      const content = await store.getRange(keyOf(fileId), byteStart, byteEnd, { signal });
      this.bytesRead += content.length;
      return content;
    } catch (error) {
      if (error instanceof ObjectNotFound) return undefined;
      throw error;
    } finally {
      this.requestCount++;
      this.#running--;
    }
  }
}
