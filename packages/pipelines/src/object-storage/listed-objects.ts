import type { ObjectInfo, ObjectStore } from '@weir/storage';
import type { FoundObject, ObjectSource } from './object-input.ts';

interface Options {
  readonly bucket: string;
  readonly prefix: string;
  open(): Promise<ObjectStore>;
}

/** The objects of a bucket in the order of their keys, once each. */
export class ListedObjects implements ObjectSource {
  readonly #options: Options;
  #store: ObjectStore | undefined;
  #pending: ObjectInfo[] = [];
  #lastKey: string | undefined;
  #isListed = false;

  constructor(options: Options) {
    this.#options = options;
  }

  async next(stop: AbortSignal): Promise<FoundObject | undefined> {
    this.#store ??= await this.#options.open();
    for (;;) {
      const listed = this.#pending.shift();
      if (listed === undefined) {
        if (this.#isListed) return undefined;
        await this.#list(this.#store, stop);
        continue;
      }
      // A name that ends with a slash stands for a folder in consoles of clouds.
      if (listed.key.endsWith('/') && listed.bytes === 0) continue;
      return { store: this.#store, bucket: this.#options.bucket, key: listed.key };
    }
  }

  async close(): Promise<void> {
    await this.#store?.close();
  }

  async #list(store: ObjectStore, signal: AbortSignal): Promise<void> {
    const startAfter = this.#lastKey;
    for await (const page of store.list(this.#options.prefix, { signal, startAfter })) {
      if (page.length === 0) continue;
      this.#pending = [...page];
      this.#lastKey = page.at(-1)!.key;
      return;
    }
    this.#isListed = true;
  }
}
