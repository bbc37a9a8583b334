import type { Delivery, Input, Scanner } from '../component/instances.ts';
import type { Message, Metadata } from '../component/message.ts';

/** Something that has bytes and an end: a file, an object, the answer to a request. */
export interface ScannedSource {
  readonly bytes: AsyncIterable<Buffer>;
  readonly name: string;
  /** All its messages have it. */
  readonly metadata: Metadata;
  /** Called once, when all its messages are settled: with an error if not all were read and written. */
  finish?(error?: Error): Promise<void>;
}

/** How far one source is. */
class Scan {
  readonly #source: ScannedSource;
  readonly #batches: AsyncIterator<readonly Message[]>;
  #unsettled = 0;
  #isRead = false;
  #isFinished = false;
  #error: Error | undefined;

  constructor(source: ScannedSource, scanner: Scanner) {
    this.#source = source;
    this.#batches = scanner.scan(source.bytes, source.name)[Symbol.asyncIterator]();
  }

  /** `undefined` at the end of the source. */
  async next(): Promise<Delivery | undefined> {
    try {
      for (;;) {
        const { value, done } = await this.#batches.next();
        if (done) return undefined;
        if (value.length > 0) return this.#delivery(value);
      }
    } catch (error) {
      this.#error ??= error as Error;
      throw error;
    }
  }

  #delivery(batch: readonly Message[]): Delivery {
    this.#unsettled++;
    const { metadata } = this.#source;
    return {
      batch:
        metadata.size === 0
          ? batch
          : batch.map((message) => message.withMetadata(new Map([...message.metadata, ...metadata]))),
      settle: async (error) => {
        this.#error ??= error;
        this.#unsettled--;
        await this.#finishIfDone();
      },
    };
  }

  /** No more is read from it. */
  async end(error?: Error): Promise<void> {
    this.#error ??= error;
    this.#isRead = true;
    // What it waits for may never come, so that its end is not awaited.
    this.#batches.return?.()?.then(undefined, () => undefined);
    await this.#finishIfDone();
  }

  async #finishIfDone(): Promise<void> {
    if (!this.#isRead || this.#unsettled > 0 || this.#isFinished) return;
    this.#isFinished = true;
    await this.#source.finish?.(this.#error);
  }
}

/** Reads one source after the other and cuts them into messages. */
export class ScannedInput implements Input {
  readonly #scanner: Scanner;
  readonly #nextSource: (stop: AbortSignal) => Promise<ScannedSource | undefined>;
  #current: Scan | undefined;
  #reading: Promise<Delivery | undefined> | undefined;

  /** `nextSource` waits for the next one; `undefined` if there are no more. */
  constructor(scanner: Scanner, nextSource: (stop: AbortSignal) => Promise<ScannedSource | undefined>) {
    this.#scanner = scanner;
    this.#nextSource = nextSource;
  }

  async read(stop: AbortSignal): Promise<Delivery | undefined> {
    while (!stop.aborted) {
      if (this.#current === undefined) {
        const source = await this.#nextSource(stop);
        if (source === undefined) return undefined;
        this.#current = new Scan(source, this.#scanner);
      }
      const delivery = await this.#next(this.#current, stop);
      if (delivery !== undefined) return delivery;
      if (stop.aborted) break;
      await this.#end();
    }
    return undefined;
  }

  async close(): Promise<void> {
    await this.#end(new Error('it was not read to its end'));
  }

  async #next(scan: Scan, stop: AbortSignal): Promise<Delivery | undefined> {
    this.#reading ??= scan.next();
    let stopped: (() => void) | undefined;
    const stopping = new Promise<'stopped'>((resolve) => {
      stopped = () => resolve('stopped');
      stop.addEventListener('abort', stopped, { once: true });
    });
    try {
      const read = await Promise.race([this.#reading, stopping]);
      if (read === 'stopped') return undefined;
      this.#reading = undefined;
      return read;
    } catch (error) {
      this.#reading = undefined;
      await this.#end(error as Error);
      throw error;
    } finally {
      if (stopped !== undefined) stop.removeEventListener('abort', stopped);
    }
  }

  async #end(error?: Error): Promise<void> {
    const scan = this.#current;
    this.#current = undefined;
    this.#reading?.then(
      (delivery) => delivery?.settle(error),
      () => undefined,
    );
    this.#reading = undefined;
    await scan?.end(error);
  }
}
