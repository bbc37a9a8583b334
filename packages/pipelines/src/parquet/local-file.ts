import { type FileHandle, open } from 'node:fs/promises';
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetSchema } from 'hyparquet';
import { checkFooter, checkSchema } from './check-file.ts';
import { readRows } from './read-rows.ts';

const footerBytes = 12;

/** A file of Parquet on this machine. Its rows are read group by group. */
export class LocalParquetFile {
  readonly #handle: FileHandle;
  readonly #file: AsyncBuffer;
  readonly #metadata: FileMetaData;
  #group = 0;
  #rowStart = 0;
  #rows: string[] = [];

  private constructor(handle: FileHandle, file: AsyncBuffer, metadata: FileMetaData) {
    this.#handle = handle;
    this.#file = file;
    this.#metadata = metadata;
  }

  static async open(path: string): Promise<LocalParquetFile> {
    const handle = await open(path);
    try {
      const { size } = await handle.stat();
      const file: AsyncBuffer = {
        byteLength: size,
        slice: async (start, end = size) => {
          const from = start < 0 ? size + start : start;
          const bytes = new Uint8Array(Math.max(0, Math.min(end, size) - from));
          const { bytesRead } = await handle.read(bytes, 0, bytes.length, from);
          if (bytesRead !== bytes.length) throw new Error(`${path} ends too early`);
          return bytes.buffer;
        },
      };
      checkFooter(Buffer.from(await file.slice(Math.max(0, size - footerBytes), size)));
      const metadata = await parquetMetadataAsync(file, { geoparquet: false });
      checkSchema(parquetSchema(metadata));
      return new LocalParquetFile(handle, file, metadata);
    } catch (error) {
      await handle.close();
      throw new Error(`failed to open ${path}: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Up to so many rows as texts of JSON; none at the end. */
  async next(count: number): Promise<string[]> {
    while (this.#rows.length < count) {
      const group = this.#metadata.row_groups[this.#group++];
      if (group === undefined) break;
      const rowStart = this.#rowStart;
      this.#rowStart += Number(group.num_rows);
      const options = { file: this.#file, metadata: this.#metadata, rowStart, rowEnd: this.#rowStart };
      this.#rows = [...this.#rows, ...(await readRows({ ...options, wrapsLists: false }))];
    }
    return this.#rows.splice(0, count);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
