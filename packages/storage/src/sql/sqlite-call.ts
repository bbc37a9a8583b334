import type {
  BucketTables,
  ContentRange,
  KeyRange,
  Placed,
  PlacedObject,
  ReadPieces,
} from './bucket-tables.ts';

type Found<Name extends keyof BucketTables> = Awaited<ReturnType<BucketTables[Name]>>;

/** What a thread of a SQLite file does. */
export interface SqliteOperations {
  /**
   * Opens the file, which has the given number in the file system, or any. Returns its number, by which others find
   * that it is still the same.
   */
  open(fileNumber: number | null): number;
  putWhole(object: PlacedObject, chunk: Uint8Array, onlyIfAbsent: boolean): Placed;
  begin(content: string, key: string): void;
  addChunk(content: string, number: number, chunk: Uint8Array): boolean;
  place(object: PlacedObject, onlyIfAbsent: boolean): Placed | 'incomplete';
  remove(keys: readonly string[]): string[];
  /** Removes some chunks of the contents. Returns whether there are more. */
  discardSome(contents: readonly string[]): boolean;
  leftovers(ageMs: number): string[];
  find(key: string): Found<'find'>;
  read(key: string, start: number, end: number): ReadPieces | undefined;
  list(range: KeyRange): Found<'list'>;
  listContents(range: ContentRange): Found<'listContents'>;
}

export type SqliteMethod = keyof SqliteOperations;
