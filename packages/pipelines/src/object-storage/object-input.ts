import { backOffMs, pauseUnlessStopped } from '@weir/core';
import type { ObjectInfo, ObjectStore } from '@weir/storage';
import type { ComponentContext } from '../component/component-context.ts';
import { reasonOf } from '../component/failures.ts';
import type { Delivery, Input, Instances } from '../component/instances.ts';
import type { Message, Metadata } from '../component/message.ts';
import { pipelineLimits } from '../limits.ts';

interface Options {
  readonly prefix: string;
  readonly deletesObjects: boolean;
  readonly scanner: Instances['scanner'];
  open(): Promise<ObjectStore>;
  /** What messages of an object have as metadata. */
  metadataOf(object: ObjectInfo): Metadata;
}

/** An object that is being read. */
interface Current {
  readonly object: ObjectInfo;
  readonly metadata: Metadata;
  readonly batches: AsyncIterator<readonly Message[]>;
  unsettled: number;
  isRead: boolean;
  /** Its bytes could not be cut into messages. */
  hasFailed: boolean;
}

/** Reads the objects of a bucket in the order of their keys, once each, and ends after the last. */
export class ObjectInput implements Input {
  readonly #options: Options;
  readonly #context: ComponentContext;
  #store: ObjectStore | undefined;
  #pending: readonly ObjectInfo[] = [];
  #lastKey: string | undefined;
  #isListed = false;
  #current: Current | undefined;
  #stop: AbortSignal | undefined;

  constructor(options: Options, context: ComponentContext) {
    this.#options = options;
    this.#context = context;
  }

  async read(stop: AbortSignal): Promise<Delivery | undefined> {
    this.#stop = stop;
    this.#store ??= await this.#options.open();
    while (!stop.aborted) {
      this.#current ??= await this.#next(this.#store);
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
    await this.#store?.close();
  }

  /** The next object; `undefined` after the last. */
  async #next(store: ObjectStore): Promise<Current | undefined> {
    for (;;) {
      const [listed, ...rest] = this.#pending;
      if (listed === undefined) {
        if (this.#isListed) return undefined;
        await this.#list(store);
        continue;
      }
      // A name that ends with a slash stands for a folder in consoles of clouds.
      const isFolder = listed.key.endsWith('/') && listed.bytes === 0;
      const object = isFolder ? undefined : await this.#head(store, listed.key);
      this.#pending = rest;
      if (object === undefined) continue;
      const source = this.#bytesOf(store, object);
      const batches = this.#options.scanner.scan(source, object.key)[Symbol.asyncIterator]();
      const metadata = this.#options.metadataOf(object);
      return { object, metadata, batches, unsettled: 0, isRead: false, hasFailed: false };
    }
  }

  async #list(store: ObjectStore): Promise<void> {
    const signal = this.#stop;
    const startAfter = this.#lastKey;
    for await (const page of store.list(this.#options.prefix, { signal, startAfter })) {
      if (page.length === 0) continue;
      this.#pending = page;
      this.#lastKey = page.at(-1)!.key;
      return;
    }
    this.#isListed = true;
  }

  async #head(store: ObjectStore, key: string): Promise<ObjectInfo | undefined> {
    try {
      return await store.head(key, { signal: this.#stop });
    } catch (error) {
      if (!isInvalidKey(error)) throw error;
      this.#context.log.warn('failed to read an object', { key, error: reasonOf(error) });
      this.#context.metrics.failed(this.#context.path, 1);
      return undefined;
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
  async #finish({ object, isRead, unsettled, hasFailed }: Current): Promise<void> {
    if (!this.#options.deletesObjects || !isRead || unsettled > 0 || hasFailed) return;
    await this.#store?.delete(object.key);
  }
}

function isInvalidKey(error: unknown): boolean {
  return (error as { kind?: unknown }).kind === 'invalid';
}
