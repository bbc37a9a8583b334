import { textOf } from '@weir/bloblang';
import { withinTime } from '@weir/http/client';
import type { ObjectAttributes, ObjectStore } from '@weir/storage';
import type { ComponentContext } from '../component/component-context.ts';
import { BatchFailure, type Output } from '../component/instances.ts';
import type { Batch, Message } from '../component/message.ts';

/** One object that is to be written. */
export interface NewObject {
  readonly bucket: string;
  readonly key: string;
  readonly attributes: ObjectAttributes;
}

interface Options {
  readonly timeoutMs: number;
  /** Whether objects that exist are replaced; otherwise what is to be done with the message. */
  readonly collision: 'overwrite' | 'fail' | 'ignore';
  open(bucket: string): Promise<ObjectStore>;
  /** Throws if a query fails. */
  objectOf(batch: Batch, index: number): NewObject;
}

/** The key of an object, where a configuration names none. */
export const usualPath = `\${!count("files")}-\${!timestamp_unix_nano()}.txt`;

/** Buckets may be named by messages, so that the number of open ones is limited. */
const bucketsMax = 32;

/** Writes each message as an object. */
export class ObjectOutput implements Output {
  readonly #options: Options;
  readonly #context: ComponentContext;
  readonly #stores = new Map<string, Promise<ObjectStore>>();

  constructor(options: Options, context: ComponentContext) {
    this.#options = options;
    this.#context = context;
  }

  async write(batch: Batch, stop: AbortSignal): Promise<void> {
    const failed = new Map<number, Error>();
    // One after the other: of two messages with the same key, the later has to win.
    for (const [index, message] of batch.entries()) {
      try {
        await this.#put(this.#options.objectOf(batch, index), message, stop);
      } catch (error) {
        failed.set(index, error as Error);
      }
    }
    if (failed.size > 0) throw new BatchFailure(failed);
  }

  async close(): Promise<void> {
    for (const opening of this.#stores.values()) await closed(opening);
  }

  async #put({ bucket, key, attributes }: NewObject, { content }: Message, stop: AbortSignal): Promise<void> {
    const { timeoutMs, collision } = this.#options;
    const store = await this.#storeOf(bucket);
    await withinTime({ clock: this.#context.clock, timeoutMs, stop }, async (signal) => {
      if (collision === 'overwrite') return store.put(key, [content], { signal, attributes });
      const isNew = await store.putIfAbsent(key, [content], { signal, attributes });
      if (!isNew && collision === 'fail') throw new Error(`the object ${key} exists already`);
    });
  }

  async #storeOf(bucket: string): Promise<ObjectStore> {
    let opening = this.#stores.get(bucket);
    if (opening !== undefined) return opening;
    const [oldest] = this.#stores.keys();
    if (this.#stores.size >= bucketsMax && oldest !== undefined) {
      const unused = this.#stores.get(oldest)!;
      this.#stores.delete(oldest);
      await closed(unused);
    }
    opening = this.#options.open(bucket);
    this.#stores.set(bucket, opening);
    opening.catch(() => this.#stores.delete(bucket));
    return opening;
  }
}

async function closed(opening: Promise<ObjectStore>): Promise<void> {
  const store = await opening.catch(() => undefined);
  await store?.close();
}

/** The metadata of a message, without keys that begin with one of the prefixes. */
export function metadataWithout({ metadata }: Message, prefixes: readonly string[]): Record<string, string> {
  const kept = [...metadata].filter(([key]) => !prefixes.some((prefix) => key.startsWith(prefix)));
  return Object.fromEntries(kept.map(([key, value]) => [key, textOf(value)]));
}
