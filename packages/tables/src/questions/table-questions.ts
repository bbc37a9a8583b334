import {
  type AskedTable,
  readTableQuestion,
  type TableAnswer,
  type TableAnswers,
  type TableFailuresAnswer,
  type TableMetadataAnswer,
  type TableQuestion,
  type TableQuestionOf,
  type TableRefusal,
  type TableSqlAnswer,
} from '@weir/cluster';
import { type Clock, coreLimits, formatBytes, type Log, Semaphore, SemaphoreFull } from '@weir/core';
import {
  type Catalog,
  type DataFiles,
  InvalidTable,
  type TableFiles,
  type TableName,
  TableNotFound,
} from '@weir/iceberg';
import { tableLimits } from '../limits.ts';
import { UnreadableDeletes } from '../parquet/table-deletes.ts';
import { LocalCopies } from '../sql/local-copies.ts';
import { runSql, type SqlDeps } from '../sql/run-sql.ts';
import { SqlFailed, SqlLimitExceeded, SqlRefused } from '../sql/sql-errors.ts';
import type { SqlResult } from '../sql/sql-messages.ts';
import { describeTable, listTableFiles } from './describe-table.ts';
import { filesOfQuery } from './files-of-query.ts';
import { failuresSql, keptSuffix, toFailure } from './kept-records.ts';

/** Metadata and data files of a bucket. */
interface BucketFiles extends TableFiles, Pick<DataFiles, 'readRange'> {}

/** Where a table is. */
interface TablePlace {
  readonly files: BucketFiles;
  readonly catalog: Pick<Catalog, 'load'>;
  /** As the catalog has it. Kept records are a table beside it. */
  readonly name: TableName;
}

interface TableQuestionsOptions {
  /** Throws a `Failure` if this agent may not read the bucket. */
  readonly placeOf: (table: AskedTable) => Promise<TablePlace>;
  /** For copies of data files. It is this object's own. */
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
}

export interface AskOptions {
  /** Aborted when the answer is no longer wanted. */
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

/** Answers questions about tables from the bucket. */
export class TableQuestions {
  readonly #options: TableQuestionsOptions;
  readonly #copies: LocalCopies;
  readonly #sqlTurns = new Semaphore({
    permits: tableLimits.tableSqlQueriesMax,
    waitingMax: tableLimits.tableSqlQueriesMax,
  });

  constructor(options: TableQuestionsOptions) {
    this.#options = options;
    this.#copies = new LocalCopies(options.directory);
  }

  /** A question as JSON, and its answer; refusals are answers. */
  async answer(text: string, options: AskOptions): Promise<string> {
    const question = readTableQuestion(JSON.parse(text));
    if (question === undefined)
      return JSON.stringify(refusal('invalid', 'the agent does not know such a question'));
    return JSON.stringify(await this.#answered(question, options));
  }

  /** Removes copies of files. */
  async close(): Promise<void> {
    await this.#copies.close();
  }

  async #answered(question: TableQuestion, options: AskOptions): Promise<TableAnswer> {
    try {
      return { kind: 'answered', answer: await this.#ask(question, options) };
    } catch (error) {
      options.signal.throwIfAborted();
      const reason = reasonOf(error);
      if (reason === undefined) throw error;
      if (reason === 'unavailable')
        this.#options.log.warn('failed to answer question about tables', {
          question: question.kind,
          error: (error as Error).message,
        });
      const message = error instanceof SemaphoreFull ? tooMany : (error as Error).message;
      return refusal(reason, message);
    }
  }

  async #ask(question: TableQuestion, options: AskOptions): Promise<TableAnswers[TableQuestion['kind']]> {
    switch (question.kind) {
      case 'tableMetadata':
        return await this.#metadata(question);
      case 'describeTable':
        return describeTable((await this.#load(question.table)).loaded);
      case 'tableFiles': {
        const { files, loaded } = await this.#load(question.table);
        return await listTableFiles(files, loaded, question.limit);
      }
      case 'tableSql':
        return await this.#sql(question, options);
      case 'tableFailures':
        return await this.#failures(question, options);
    }
  }

  async #load(table: AskedTable, suffix = '') {
    const { files, catalog, name } = await this.#options.placeOf(table);
    try {
      return { files, loaded: await catalog.load({ ...name, name: `${name.name}${suffix}` }) };
    } catch (error) {
      if (error instanceof TableNotFound)
        throw new TableNotFound(`${table.tableName}${suffix}: nothing was committed to the table yet`, {
          cause: error,
        });
      throw error;
    }
  }

  async #metadata({ table, knownLocation }: TableQuestionOf<'tableMetadata'>): Promise<TableMetadataAnswer> {
    const { files, loaded } = await this.#load(table);
    const location = loaded.metadataPath;
    if (location === knownLocation) return { location };
    const bytesMax = tableLimits.tableMetadataPassedBytesMax;
    const content = await files.read(location, bytesMax);
    if (content === undefined)
      throw new InvalidTable(`${location}: the metadata was replaced meanwhile; try again`);
    return { location, metadata: content.toString() };
  }

  async #sql(
    { sql, tables, limit }: TableQuestionOf<'tableSql'>,
    options: AskOptions,
  ): Promise<TableSqlAnswer> {
    const { clock } = this.#options;
    const startMs = clock.monotonicMs();
    const { columns, rowsJson, isComplete } = await this.#run(sql, tables, limit, options);
    const rows = JSON.parse(rowsJson) as TableSqlAnswer['rows'];
    return { columns, rows, isComplete, ms: Math.round(clock.monotonicMs() - startMs) };
  }

  #run(
    sql: string,
    tables: readonly AskedTable[],
    rowsMax: number,
    { signal, limitMs }: AskOptions,
  ): Promise<SqlResult> {
    const { clock } = this.#options;
    // Kept records are beside the table that they are of; a table of that name comes first.
    const byName = new Map<string, { readonly table: AskedTable; readonly suffix: string }>();
    for (const suffix of [keptSuffix, ''])
      for (const table of tables) byName.set(`${table.tableName}${suffix}`, { table, suffix });
    const query = { sql, tableNames: [...byName.keys()], rowsMax, timeMsMax: limitMs };
    const withTables: SqlDeps['withTables'] = async (parsed, run) => {
      const read = await Promise.all(
        parsed.tables.map(async (name) => {
          const { table, suffix } = byName.get(name)!;
          const { files, loaded } = await this.#load(table, suffix);
          return await filesOfQuery(name, files, loaded, parsed.conditions);
        }),
      );
      const wanted = read.flatMap(({ data, deletes }) => [...data, ...deletes]);
      checkSize(wanted);
      return await this.#copies.using(wanted, signal, (copies) => {
        let at = 0;
        return run(
          read.map(({ name, columns, data, deletes }) => ({
            name,
            columns,
            data: data.map(({ files: _, ...file }) => ({ ...file, path: copies[at++]! })),
            deletes: deletes.map(({ files: _, ...file }) => ({ ...file, path: copies[at++]! })),
          })),
        );
      });
    };
    return this.#sqlTurns.run(() => runSql(query, { clock, signal, withTables }));
  }

  async #failures(
    { table, limit }: TableQuestionOf<'tableFailures'>,
    options: AskOptions,
  ): Promise<TableFailuresAnswer> {
    const name = `${table.tableName}${keptSuffix}`;
    const rowsMax = Math.min(limit, coreLimits.tableFailuresShownMax);
    try {
      await this.#load(table, keptSuffix);
      const { rowsJson, isComplete } = await this.#run(failuresSql(name, rowsMax), [table], rowsMax, options);
      const rows = JSON.parse(rowsJson) as Parameters<typeof toFailure>[0][];
      return { failures: rows.map(toFailure), isComplete };
    } catch (error) {
      if (error instanceof TableNotFound) return { failures: [], isComplete: true };
      throw error;
    }
  }
}

const tooMany = `the agent runs ${tableLimits.tableSqlQueriesMax} queries, the most at a time; try again later`;

function checkSize(wanted: readonly { readonly bytes: number }[]): void {
  const { tableSqlFilesMax, tableSqlReadBytesMax } = tableLimits;
  const bytes = wanted.reduce((sum, file) => sum + file.bytes, 0);
  if (wanted.length > tableSqlFilesMax || bytes > tableSqlReadBytesMax)
    throw new SqlLimitExceeded(
      `the query reads ${wanted.length} files with ${formatBytes(bytes)}, the most are ${tableSqlFilesMax} and ${formatBytes(tableSqlReadBytesMax)}; compare a column with a constant, such as kafka_timestamp >= '2026-01-01', to read fewer, or use a query engine`,
    );
}

/** Errors that are an answer. */
function reasonOf(error: unknown): TableRefusal | undefined {
  if (error instanceof TableNotFound) return 'notFound';
  if (error instanceof SqlRefused || error instanceof UnreadableDeletes) return 'invalid';
  if (error instanceof SqlLimitExceeded) return 'limit';
  if (error instanceof SemaphoreFull) return 'limit';
  return error instanceof SqlFailed || error instanceof InvalidTable ? 'unavailable' : undefined;
}

function refusal(reason: TableRefusal, message: string): Extract<TableAnswer, { kind: 'refused' }> {
  return { kind: 'refused', reason, message };
}
