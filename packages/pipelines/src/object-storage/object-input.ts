import { backOffMs, pauseUnlessStopped } from '@weir/core';
import type { ObjectInfo, ObjectStore } from '@weir/storage';
import type { ComponentContext } from '../component/component-context.ts';
import { reasonOf } from '../component/failures.ts';
import type { Delivery, Input, Instances } from '../component/instances.ts';
import type { Message, Metadata } from '../component/message.ts';
import { pipelineLimits } from '../limits.ts';

/** An object that is to be read. */
export interface FoundObject {
  readonly store: ObjectStore;
  readonly bucket: string;
  readonly key: string;
  /** Called once, when all of its messages are settled: whether all were read and written. */
  settle?(isDone: boolean): Promise<void>;
}

/** Where objects come from. */
export interface ObjectSource {
  /** The next object; `undefined` after the last, or when `stop` is aborted. */
  next(stop: AbortSignal): Promise<FoundObject | undefined>;
  close(): Promise<void>;
}

interface Options {
  readonly source: ObjectSource;
  readonly deletesObjects: boolean;
  readonly scanner: Instances['scanner'];
  /** What messages of an object have as metadata. */
  metadataOf(object: ObjectInfo, bucket: string): Metadata;
}

/** An object that is being read. */
interface Current {
  readonly found: FoundObject;
  readonly object: ObjectInfo;
  readonly metadata: Metadata;
  readonly batches: AsyncIterator<readonly Message[]>;
  unsettled: number;
  isRead: boolean;
  /** Its bytes could not be cut into messages. */
  hasFailed: boolean;
}

/** Reads the objects of a source, one after the other. */
export class ObjectInput implements Input {
  readonly #options: Options;
  readonly #context: ComponentContext;
  /** The next object, until it is being read. */
  #found: FoundObject | undefined;
  #current: Current | undefined;
  #stop: AbortSignal | undefined;

  constructor(options: Options, context: ComponentContext) {
    this.#options = options;
    this.#context = context;
  }

  async read(stop: AbortSignal): Promise<Delivery | undefined> {
    this.#stop = stop;
    while (!stop.aborted) {
      this.#current ??= await this.#next(stop);
      const current = this.#current;
      if (current === undefined) return undefined;
      const batch = await this.#batchOf(current);
      if (stop.aborted) return undefined;
      if (batch === undefined) {
        this.#current = undefined;
        current.isRead = true;
        await this.#finish(current);
      } else if (batch.length > 0) return this.#delivery(current, batch);
    }
    return undefined;
  }

  async close(): Promise<void> {
    await this.#current?.batches.return?.();
    await this.#options.source.close();
  }

  /** The next object; `undefined` after the last. */
  async #next(stop: AbortSignal): Promise<Current | undefined> {
    for (;;) {
      this.#found ??= await this.#options.source.next(stop);
      const found = this.#found;
      if (found === undefined) return undefined;
      const object = await this.#head(found);
      this.#found = undefined;
      if (object === undefined || object === 'denied') {
        await found.settle?.(object === undefined);
        continue;
      }
      const source = this.#bytesOf(found.store, object);
      const batches = this.#options.scanner.scan(source, object.key)[Symbol.asyncIterator]();
      const metadata = this.#options.metadataOf(object, found.bucket);
      return { found, object, metadata, batches, unsettled: 0, isRead: false, hasFailed: false };
    }
  }

  /**
   * `undefined` if it is not there any more, or has a key that cannot be read. One that a notification names and that
   * may not be read must not hold back the others.
   */
  async #head({ store, key, settle }: FoundObject): Promise<ObjectInfo | 'denied' | undefined> {
    try {
      return await store.head(key, { signal: this.#stop });
    } catch (error) {
      const { kind } = error as { readonly kind?: unknown };
      const isDenied = kind === 'denied' && settle !== undefined;
      if (kind !== 'invalid' && !isDenied) throw error;
      this.#context.log.warn('failed to read an object', { key, error: reasonOf(error) });
      this.#context.metrics.failed(this.#context.path, 1);
      return isDenied ? 'denied' : undefined;
    }
  }

  /** `undefined` when the object is read. */
  async #batchOf(current: Current): Promise<readonly Message[] | undefined> {
    try {
      const { done, value } = await current.batches.next();
      return done ? undefined : value;
    } catch (error) {
      if (this.#stop?.aborted) return undefined;
      // The bytes are as they are: another attempt would fail at the same place.
      this.#context.log.warn('failed to read an object', { key: current.object.key, error: reasonOf(error) });
      this.#context.metrics.failed(this.#context.path, 1);
      current.hasFailed = true;
      return undefined;
    }
  }

  /** The bytes of an object, a part at a time. A part that cannot be read is tried again until it is. */
  async *#bytesOf(store: ObjectStore, { key, bytes }: ObjectInfo): AsyncGenerator<Buffer> {
    const { ObjectNotFound } = await import('@weir/storage');
    const { objectPartBytes, retryMsFirst: firstMs, retryMsMax: maxMs } = pipelineLimits;
    let failures = 0;
    for (let start = 0; start < bytes; ) {
      const stop = this.#stop!;
      try {
        const part = await store.getRange(key, start, Math.min(bytes, start + objectPartBytes), {
          signal: stop,
        });
        if (part.length === 0) throw new ObjectNotFound(key);
        start += part.length;
        failures = 0;
        yield part;
      } catch (error) {
        if (stop.aborted || error instanceof ObjectNotFound) throw error;
        this.#context.log.warn('failed to read a part of an object', { key, error: reasonOf(error) });
        await pauseUnlessStopped(this.#context.clock, backOffMs(failures++, { firstMs, maxMs }), stop);
        if (stop.aborted) throw error;
      }
    }
  }

  #delivery(current: Current, batch: readonly Message[]): Delivery {
    current.unsettled++;
    return {
      batch: batch.map((message) =>
        message.withMetadata(new Map([...current.metadata, ...message.metadata])),
      ),
      settle: async (error) => {
        current.unsettled--;
        if (error !== undefined) current.hasFailed = true;
        await this.#finish(current);
      },
    };
  }

  /** Deletes an object of which all messages were written, if that is asked for. */
  async #finish({ found, object, isRead, unsettled, hasFailed }: Current): Promise<void> {
    if (!isRead || unsettled > 0) return;
    if (this.#options.deletesObjects && !hasFailed) await found.store.delete(object.key);
    await found.settle?.(!hasFailed);
  }
}
