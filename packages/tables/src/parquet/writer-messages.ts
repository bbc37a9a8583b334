/** What the owner of a writer and its process say to each other. Requests are answered in order. */
import type { Column, RowValue, WrittenParquet } from './parquet-writer.ts';

export interface ProcessOptions {
  /** Where files and, below `spill`, parts of tables are written; nothing else can be reached. */
  readonly directory: string;
  readonly memoryBytesMax: number;
  readonly spillBytesMax: number;
}

export type WriterRequest =
  | { readonly kind: 'start'; readonly options: ProcessOptions }
  | { readonly kind: 'open'; readonly file: number; readonly columns: readonly Column[] }
  | { readonly kind: 'append'; readonly file: number; readonly batch: readonly (readonly RowValue[])[] }
  | { readonly kind: 'finish'; readonly file: number; readonly path: string }
  | { readonly kind: 'abandon'; readonly file: number };

export type WriterErrorKind = 'InvalidRow' | 'ParquetMemoryExceeded' | 'ParquetWriteFailed';

export type WriterAnswer =
  | { readonly kind: 'done'; readonly written?: WrittenParquet | undefined }
  | { readonly kind: 'failed'; readonly error: WriterErrorKind; readonly message: string };
