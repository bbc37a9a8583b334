import { unlessAborted } from '../store/abort.ts';
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
import type { SqlitePlace } from './sql-url.ts';
import type { SqliteMethod, SqliteOperations } from './sqlite-call.ts';

/** Calls that one thread has, and that share a commit if they write. */
const callsMax = 16;

/**
 * The tables of a bucket in a SQLite file. One thread writes and one reads, so that a read does not wait for a commit.
 * Processes on one machine may share the file.
 */
export class SqliteTables implements BucketTables {
  readonly #writing: DatabaseThread<SqliteOperations>;
  readonly #reading: DatabaseThread<SqliteOperations>;
  #opened: Promise<unknown> | undefined;

  constructor(place: SqlitePlace) {
    const worker = new URL(import.meta.resolve('./sqlite-worker.ts'));
    const options = { worker, workerData: place, subject: place.path, callsMax };
    this.#writing = new DatabaseThread(options);
    this.#reading = new DatabaseThread(options);
  }

  /** Opens the file, as the first call does otherwise. After a failure the next call tries again. */
  open(): Promise<unknown> {
    this.#opened ??= this.#writing
      .call('open', [null])
      .then((fileNumber) => this.#reading.call('open', [fileNumber]))
      .catch((error) => {
        this.#opened = undefined;
        throw error;
      });
    return this.#opened;
  }

  putWhole(
    object: PlacedObject,
    chunk: Buffer<ArrayBuffer>,
    { onlyIfAbsent, signal }: PlaceOptions,
  ): Promise<Placed> {
    return this.#write('putWhole', [object, chunk, onlyIfAbsent], signal, chunk);
  }

  begin(content: string, key: string, signal?: AbortSignal): Promise<void> {
    return this.#write('begin', [content, key], signal);
  }

  addChunk(
    content: string,
    number: number,
    chunk: Buffer<ArrayBuffer>,
    signal?: AbortSignal,
  ): Promise<boolean> {
    return this.#write('addChunk', [content, number, chunk], signal, chunk);
  }

  place(object: PlacedObject, { onlyIfAbsent, signal }: PlaceOptions): Promise<Placed | 'incomplete'> {
    return this.#write('place', [object, onlyIfAbsent], signal);
  }

  remove(keys: readonly string[], signal?: AbortSignal): Promise<string[]> {
    return this.#write('remove', [keys], signal);
  }

  async discard(contents: readonly string[], signal?: AbortSignal): Promise<void> {
    if (contents.length === 0) return;
    while (await this.#write('discardSome', [contents], signal));
  }

  leftovers(ageMs: number, signal?: AbortSignal): Promise<string[]> {
    return this.#read('leftovers', [ageMs], signal);
  }

  find(key: string, signal?: AbortSignal): Promise<ObjectInfo | undefined> {
    return this.#read('find', [key], signal);
  }

  read(key: string, start: number, end: number, signal?: AbortSignal): Promise<ReadPieces | undefined> {
    return this.#read('read', [key, start, end], signal);
  }

  list(range: KeyRange, signal?: AbortSignal): Promise<ObjectInfo[]> {
    return this.#read('list', [range], signal);
  }

  listContents(range: ContentRange, signal?: AbortSignal): Promise<ListedContent[]> {
    return this.#read('listContents', [range], signal);
  }

  async close(): Promise<void> {
    await Promise.all([this.#writing.close(), this.#reading.close()]);
  }

  async #write<Method extends SqliteMethod>(
    method: Method,
    args: Parameters<SqliteOperations[Method]>,
    signal: AbortSignal | undefined,
    chunk?: Buffer<ArrayBuffer>,
  ): Promise<ReturnType<SqliteOperations[Method]>> {
    await unlessAborted(this.open(), signal);
    return await this.#writing.call(method, args, signal, chunk);
  }

  async #read<Method extends SqliteMethod>(
    method: Method,
    args: Parameters<SqliteOperations[Method]>,
    signal: AbortSignal | undefined,
  ): Promise<ReturnType<SqliteOperations[Method]>> {
    await unlessAborted(this.open(), signal);
    return await this.#reading.call(method, args, signal);
  }
}
