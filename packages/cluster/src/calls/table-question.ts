import * as s from '../shapes/shape.ts';

/**
 * Questions about tables that agents of data lake clusters answer: what only the bucket knows. They go the way of
 * queries about events, and have kinds that no such query has.
 */
const tableQuestionKinds = [
  'tableMetadata',
  'describeTable',
  'tableFiles',
  'tableFailures',
  'tableSql',
] as const;

const askedTable = s.struct({
  tableName: s.text,
  tableUuid: s.text,
  /** The bucket that it is in, as its configuration names it; that of the agents if absent. */
  bucketUrl: s.optional(s.text),
  /** The catalog that has it, as JSON of what its configuration says; the bucket itself if absent. */
  catalog: s.optional(s.text),
  /** The values of the secrets that the catalog refers to. */
  secrets: s.optional(s.texts),
});
export type AskedTable = s.TypeOf<typeof askedTable>;

const tableMetadataQuestion = s.struct({
  kind: s.oneOf('tableMetadata'),
  table: askedTable,
  /** The metadata that the caller has already. If it is the newest, the answer does not repeat it. */
  knownLocation: s.optional(s.text),
});

const describeTableQuestion = s.struct({ kind: s.oneOf('describeTable'), table: askedTable });

const tableFilesQuestion = s.struct({ kind: s.oneOf('tableFiles'), table: askedTable, limit: s.whole });

/** Records that could not become rows and were kept. */
const tableFailuresQuestion = s.struct({ kind: s.oneOf('tableFailures'), table: askedTable, limit: s.whole });

const tableSqlQuestion = s.struct({
  kind: s.oneOf('tableSql'),
  sql: s.text,
  /** All tables that it may read. */
  tables: s.list(askedTable),
  limit: s.whole,
});

const shapes = {
  tableMetadata: tableMetadataQuestion,
  describeTable: describeTableQuestion,
  tableFiles: tableFilesQuestion,
  tableFailures: tableFailuresQuestion,
  tableSql: tableSqlQuestion,
} as const satisfies Readonly<Record<(typeof tableQuestionKinds)[number], unknown>>;

type TableQuestionKind = (typeof tableQuestionKinds)[number];
export type TableQuestionOf<Kind extends TableQuestionKind> = s.TypeOf<(typeof shapes)[Kind]>;
export type TableQuestion = { [Kind in TableQuestionKind]: TableQuestionOf<Kind> }[TableQuestionKind];

export interface TableMetadataAnswer {
  readonly location: string;
  /** The text of the file: its numbers have 64 bits. Absent if the caller has it. */
  readonly metadata?: string | undefined;
}

interface DescribedColumn {
  readonly id: number;
  readonly name: string;
  /** As Iceberg writes it; nested types in words. */
  readonly type: string;
  readonly isRequired: boolean;
}

export interface DescribedTable {
  readonly location: string;
  readonly metadataLocation: string;
  readonly schemas: readonly {
    readonly id: number;
    readonly isCurrent: boolean;
    readonly columns: readonly DescribedColumn[];
  }[];
  readonly partitionFields: readonly {
    readonly name: string;
    readonly column: string;
    readonly transform: string;
  }[];
  readonly properties: Readonly<Record<string, string>>;
  /** The newest first. */
  readonly snapshots: readonly {
    readonly id: string;
    readonly timestampMs: number;
    readonly operation: string | null;
    readonly schemaId: number | null;
    readonly summary: Readonly<Record<string, string>>;
  }[];
  readonly snapshotCount: number;
  readonly refs: readonly { readonly name: string; readonly type: string; readonly snapshotId: string }[];
}

export interface TableFilesAnswer {
  readonly files: readonly {
    readonly path: string;
    /** Such as `ts_day=2026-01-01`; empty if the table is not partitioned. */
    readonly partition: string;
    readonly records: number;
    readonly bytes: number;
  }[];
  readonly isComplete: boolean;
}

export interface TableSqlAnswer {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** Values as JSON has them; integers beyond 32 bits, decimals and times are texts. */
  readonly rows: readonly (readonly unknown[])[];
  readonly isComplete: boolean;
  readonly ms: number;
}

/** The beginning of a key or value, and the size of all of it. */
interface FailedPart {
  readonly base64: string;
  readonly bytes: number;
}

export interface TableFailure {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly timestampMs: number;
  readonly key: FailedPart | null;
  readonly value: FailedPart | null;
  /** The first ones; values are base64. */
  readonly headers: readonly { readonly name: string; readonly value: string | null }[];
  readonly step: string;
  readonly error: string;
  readonly failedAtMs: number;
}

/** The newest first. */
export interface TableFailuresAnswer {
  readonly failures: readonly TableFailure[];
  readonly isComplete: boolean;
}

export interface TableAnswers {
  readonly tableMetadata: TableMetadataAnswer;
  readonly describeTable: DescribedTable;
  readonly tableFiles: TableFilesAnswer;
  readonly tableFailures: TableFailuresAnswer;
  readonly tableSql: TableSqlAnswer;
}

/** `notFound`: the table has no metadata yet, or no longer. */
export type TableRefusal = 'notFound' | 'invalid' | 'limit' | 'unavailable';

export type TableAnswer<Kind extends TableQuestionKind = TableQuestionKind> =
  | { readonly kind: 'answered'; readonly answer: TableAnswers[Kind] }
  | {
      readonly kind: 'refused';
      readonly reason: TableRefusal;
      /** One sentence for the person who asks. */
      readonly message: string;
    };

/** Returns `undefined` if the value is another kind of query, and throws if it is malformed. */
export function readTableQuestion(value: unknown): TableQuestion | undefined {
  const kind = tableQuestionKinds.find((one) => one === (value as { readonly kind?: unknown } | null)?.kind);
  if (kind === undefined) return undefined;
  const problem = shapes[kind](value, 'question');
  if (problem !== undefined) throw new TypeError(problem);
  return value as TableQuestion;
}
