/** The port to the files of tables: metadata, manifests and data, by full URIs. Files are written once. */
import { InvalidTable } from '../table-errors.ts';

export interface TableFiles {
  /** `undefined` if there is no such file. Refuses files that are larger than `bytesMax`. */
  read(path: string, bytesMax: number): Promise<Buffer | undefined>;
  /** Writes a file under a path that was never used. */
  write(path: string, content: Buffer): Promise<void>;
  /** Returns `false` if the file exists; of several writers at most one gets `true`. */
  writeIfAbsent(path: string, content: Buffer): Promise<boolean>;
  /** Writes a file that may exist: only the version hint. */
  replace(path: string, content: Buffer): Promise<void>;
  /** It is no error if a file does not exist. */
  delete(paths: readonly string[]): Promise<void>;
  /** Files whose path begins with `prefix`, page by page. */
  list(prefix: string): AsyncIterable<readonly ListedFile[]>;
}

export interface ListedFile {
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

/** Reads a file that others refer to. */
export async function readNeeded(files: TableFiles, path: string, bytesMax: number): Promise<Buffer> {
  const content = await files.read(path, bytesMax);
  if (content === undefined)
    throw new InvalidTable(
      `${path}: the file is missing; the table refers to it, so a program deleted it too early`,
    );
  return content;
}
