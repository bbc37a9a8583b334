import { join } from 'node:path';
import { AnsweringProcess } from './answering-process.ts';

/** A column as the Python program writes it into Parquet files. */
export interface WrittenType {
  /** Absent in files of writers that know no ids. */
  readonly id?: number;
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly elementId?: number;
}

interface ReadTable {
  readonly rows: readonly Record<string, unknown>[];
  /** Files that the scan needed. */
  readonly files: number;
  readonly types: Record<string, string>;
  readonly snapshots: readonly string[];
  readonly refs: Record<string, string>;
  readonly history: readonly string[];
  readonly operation: string | null;
}

/** pyiceberg and pyarrow in a process that answers one request after the other. */
export class IcebergReader extends AnsweringProcess {
  constructor(python: string) {
    super(python, ['-B', join(import.meta.dirname, 'iceberg_reader.py')]);
  }

  writeFile(path: string, columns: readonly WrittenType[], rows: readonly object[]) {
    return this.call('write_file', { path, columns, rows }) as Promise<{ bytes: number }>;
  }

  readTable(location: string, options: { readonly filter?: string; readonly snapshot?: string } = {}) {
    return this.call('read_table', { location, ...options }) as Promise<ReadTable>;
  }

  /** Rows as `shownRows` shows them. */
  readRows(location: string) {
    return this.call('read_rows', { location }) as Promise<readonly Record<string, unknown>[]>;
  }

  idsOf(location: string, filters: readonly string[]) {
    return this.call('ids_of', { location, filters }) as Promise<
      readonly { readonly scanned: string[]; readonly expected: string[]; readonly files: number }[]
    >;
  }

  readCommit(text: string) {
    return this.call('read_commit', { text }) as Promise<{
      readonly requirements: readonly string[];
      readonly updates: readonly string[];
      readonly snapshot: string;
    }>;
  }

  writeOverRest(uri: string) {
    return this.call('write_over_rest', { uri }) as Promise<{ readonly snapshots: number }>;
  }

  readOverRest(uri: string) {
    return this.call('read_over_rest', { uri }) as Promise<readonly Record<string, unknown>[]>;
  }

  /** What a catalog lists, with the location of the metadata of each table. */
  catalogOverRest(uri: string, login: { readonly token: string } | { readonly credential: string }) {
    return this.call('catalog_over_rest', { uri, login });
  }

  selectedNames(location: string, fields: readonly string[]) {
    return this.call('selected_names', { location, fields }) as Promise<readonly string[]>;
  }

  singleValues(cases: readonly object[]) {
    return this.call('single_values', { cases }) as Promise<readonly string[]>;
  }
}
