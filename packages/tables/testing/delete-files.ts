/** Rows that other programs delete by files, as Spark does it by places and Flink by values. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { MiB, randomId } from '@weir/core';
import {
  currentSchema,
  type DataFile,
  FileChange,
  planFiles,
  snapshotOfRef,
  type Value,
} from '@weir/iceberg';
import { quoteName, quoteText } from '../src/parquet/duckdb-schema.ts';
import { originOf, TableDeletes } from '../src/parquet/table-deletes.ts';
import { viewOf } from '../src/sql/table-view.ts';
import type { TestTable } from './test-table.ts';

interface Whose {
  readonly specId: number;
  readonly partition: readonly (Value | null)[];
}

/** Writes delete files, and reads a table as a query does. */
export class DeletingWriter {
  readonly #table: TestTable;
  readonly #connection: DuckDBConnection;

  static async open(table: TestTable): Promise<DeletingWriter> {
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    const connection = await instance.connect();
    return new DeletingWriter(table, connection);
  }

  private constructor(table: TestTable, connection: DuckDBConnection) {
    this.#table = table;
    this.#connection = connection;
  }

  close(): void {
    this.#connection.closeSync();
  }

  /** Deletes rows at places of files; `options` are parts of the description of the file. */
  async deletePlaces(
    places: readonly (readonly [uri: string, place: number])[],
    whose: Whose,
    options: Partial<DataFile> = {},
  ): Promise<DataFile> {
    const rows = places.map(([uri, place]) => `(${quoteText(uri)}, ${place}::BIGINT)`).join(', ');
    const select = `SELECT * FROM (VALUES ${rows}) AS places(file_path, pos)`;
    const ids = '{file_path: 2147483546, pos: 2147483545}';
    return await this.#commit(select, ids, places.length, {
      content: 'position-deletes',
      ...whose,
      ...options,
    });
  }

  /** Deletes rows whose columns have these values, written as SQL. */
  async deleteValues(
    columns: readonly { readonly id: number; readonly name: string }[],
    rows: readonly (readonly string[])[],
    whose: Whose,
  ): Promise<DataFile> {
    const names = columns.map(({ name }) => quoteName(name));
    const values = rows.map((row) => `(${row.join(', ')})`).join(', ');
    const select = `SELECT * FROM (VALUES ${values}) AS deleted(${names.join(', ')})`;
    const ids = `{${columns.map(({ id }, at) => `${names[at]}: ${id}`).join(', ')}}`;
    const equalityIds = columns.map(({ id }) => id);
    return await this.#commit(select, ids, rows.length, {
      content: 'equality-deletes',
      equalityIds,
      ...whose,
    });
  }

  async #commit(
    select: string,
    fieldIds: string,
    rowCount: number,
    described: Pick<DataFile, 'content' | 'specId' | 'partition'> & Partial<DataFile>,
  ): Promise<DataFile> {
    const table = this.#table;
    const name = `deletes-${randomId(table.random)}.parquet`;
    const local = join(table.directory, name);
    await this.#connection.run(
      `COPY (${select}) TO ${quoteText(local)} (FORMAT parquet, FIELD_IDS ${fieldIds})`,
    );
    const content = await readFile(local);
    await rm(local);
    const path = `${table.location}/data/${name}`;
    await table.files.write(path, content);
    const file: DataFile = {
      path,
      format: 'PARQUET',
      recordCount: BigInt(rowCount),
      fileBytes: BigInt(content.length),
      columns: new Map(),
      ...described,
    };
    await table.commit(new FileChange({ operation: 'overwrite', added: [file] }, table));
    return file;
  }

  /** The rows of a query over all columns, as JSON texts in order. */
  async rows(): Promise<string[]> {
    const { files, directory, random } = this.#table;
    const metadata = await this.#table.metadata();
    const { data, deletes } = await planFiles(files, metadata, snapshotOfRef(metadata));
    const locals: string[] = [];
    const local = async ({ path }: DataFile) => {
      const copy = join(directory, `copy-${randomId(random)}.parquet`);
      locals.push(copy);
      await writeFile(copy, (await files.read(path, 64 * MiB))!);
      return copy;
    };
    const name = `view ${randomId(random)}`;
    const table = { name, columns: currentSchema(metadata).columns, data: [], deletes: [] };
    const copies = {
      ...table,
      data: await Promise.all(
        data.map(async (entry) => ({ path: await local(entry.file), ...originOf(entry) })),
      ),
      deletes: await Promise.all(
        new TableDeletes(deletes, metadata)
          .about(data)
          .map(async ({ file, ...rule }) => ({ path: await local(file), ...rule })),
      ),
    };
    await this.#connection.run(await viewOf(this.#connection, copies));
    const found = await this.#connection.runAndReadAll(`SELECT * FROM ${quoteName(name)}`);
    await this.#connection.run(`DROP VIEW ${quoteName(name)}`);
    for (const copy of locals) await rm(copy);
    return found
      .getRowsJson()
      .map((row) => JSON.stringify(row))
      .sort();
  }
}
