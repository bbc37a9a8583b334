import type { Log } from '@weir/core';
import { storageLimits } from '../limits.ts';
import type { ObjectInfo } from '../store/object-store.ts';
import type {
  BucketTables,
  ContentRange,
  KeyRange,
  ListedContent,
  Placed,
  PlacedObject,
  PlaceOptions,
  ReadPieces,
} from './bucket-tables.ts';
import { DatabaseThread } from './database-thread.ts';
import type { PostgresPlace } from './sql-url.ts';

type Operations = Omit<BucketTables, 'close'>;

/**
 * The tables of a bucket in PostgreSQL, in a thread: the driver writes bytes as text, several milliseconds of processor
 * time for a chunk.
 */
export class PostgresThread implements BucketTables {
  readonly #thread: DatabaseThread<Operations>;

  constructor(place: PostgresPlace, { log }: { readonly log: Pick<Log, 'warn'> }) {
    this.#thread = new DatabaseThread({
      worker: new URL(import.meta.resolve('./postgres-worker.ts')),
      workerData: place,
      subject: `postgres://${place.host}:${place.port}/${place.database}`,
      // Each call is one statement at a time. More would wait in the thread, where they cannot be aborted.
      callsMax: storageLimits.sqlConnectionsMax,
      // The driver throws errors where nothing handles them when a server breaks the protocol.
      isReplaced: true,
      onWarning: (fields) => log.warn('lost database connection of a bucket, reconnecting', fields),
    });
  }

  putWhole(
    object: PlacedObject,
    chunk: Buffer<ArrayBuffer>,
    { onlyIfAbsent, signal }: PlaceOptions,
  ): Promise<Placed> {
    return this.#thread.call('putWhole', [object, chunk, { onlyIfAbsent }], signal, chunk);
  }

  begin(content: string, key: string, signal?: AbortSignal): Promise<void> {
    return this.#thread.call('begin', [content, key], signal);
  }

  addChunk(
    content: string,
    number: number,
    chunk: Buffer<ArrayBuffer>,
    signal?: AbortSignal,
  ): Promise<boolean> {
    return this.#thread.call('addChunk', [content, number, chunk], signal, chunk);
  }

  place(object: PlacedObject, { onlyIfAbsent, signal }: PlaceOptions): Promise<Placed | 'incomplete'> {
    return this.#thread.call('place', [object, { onlyIfAbsent }], signal);
  }

  remove(keys: readonly string[], signal?: AbortSignal): Promise<string[]> {
    return this.#thread.call('remove', [keys], signal);
  }

  discard(contents: readonly string[], signal?: AbortSignal): Promise<void> {
    return this.#thread.call('discard', [contents], signal);
  }

  leftovers(ageMs: number, signal?: AbortSignal): Promise<string[]> {
    return this.#thread.call('leftovers', [ageMs], signal);
  }

  find(key: string, signal?: AbortSignal): Promise<ObjectInfo | undefined> {
    return this.#thread.call('find', [key], signal);
  }

  read(key: string, start: number, end: number, signal?: AbortSignal): Promise<ReadPieces | undefined> {
    return this.#thread.call('read', [key, start, end], signal);
  }

  list(range: KeyRange, signal?: AbortSignal): Promise<ObjectInfo[]> {
    return this.#thread.call('list', [range], signal);
  }

  listContents(range: ContentRange, signal?: AbortSignal): Promise<ListedContent[]> {
    return this.#thread.call('listContents', [range], signal);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
