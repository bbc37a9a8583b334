import type { CompactionJob } from '../calls/compaction-calls.ts';

/** The kind of job that merges files. */
export const fileCompactionKind = 'file_compaction';

/** Columns of a task, in order, with the type that their bytes have. */
const columnTypes = {
  topic: Uint32Array,
  partition: Uint32Array,
  fromOffset: Float64Array,
  toOffset: Float64Array,
  pointerCount: Uint32Array,
  file: Uint32Array,
  byteStart: Uint32Array,
  byteLength: Uint32Array,
  baseOffset: Float64Array,
  maxTimestampMs: Float64Array,
  markerRow: Uint32Array,
  markerIsCommit: Uint8Array,
  markerProducerId: Float64Array,
  markerProducerEpoch: Int16Array,
  markerTimestampMs: Float64Array,
} as const satisfies Record<keyof Columns, unknown>;

type Columns = CompactionJob['ranges'] &
  CompactionJob['pointers'] & {
    readonly markerRow: Uint32Array;
    readonly markerIsCommit: Uint8Array;
    readonly markerProducerId: Float64Array;
    readonly markerProducerEpoch: Int16Array;
    readonly markerTimestampMs: Float64Array;
  };

const columnNames = Object.keys(columnTypes) as (keyof Columns)[];

/** What is not a column, as JSON in front of the columns. */
interface TaskHead extends Pick<CompactionJob, 'plannedMs' | 'level' | 'inputs' | 'topicIds'> {
  /** Number of rows of each column. */
  readonly rows: readonly number[];
}

const lengthBytes = 4;

/**
 * Length of the head, head, columns. Jobs are passed on within minutes, between a leader and agents that know the kind,
 * and are stored nowhere. Columns have the byte order of the machine, which is the same on all that Weir runs on.
 */
export function writeCompactionTask(job: CompactionJob): Uint8Array {
  const columns = columnsOf(job);
  const { plannedMs, level, inputs, topicIds } = job;
  const rows = columnNames.map((name) => columns[name].length);
  const head = Buffer.from(JSON.stringify({ plannedMs, level, inputs, topicIds, rows } satisfies TaskHead));
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(head.length);
  const bytes = columnNames.map((name) => {
    const column = columns[name];
    return Buffer.from(column.buffer, column.byteOffset, column.byteLength);
  });
  return Buffer.concat([length, head, ...bytes]);
}

export function readCompactionTask(task: Uint8Array): CompactionJob {
  const bytes = Buffer.from(task.buffer, task.byteOffset, task.byteLength);
  const headEnd = lengthBytes + bytes.readUInt32BE(0);
  const { rows, ...head } = JSON.parse(bytes.toString('utf8', lengthBytes, headEnd)) as TaskHead;
  let at = headEnd;
  const read = columnNames.map((name, index) => {
    const type = columnTypes[name];
    const byteLength = (rows[index] ?? 0) * type.BYTES_PER_ELEMENT;
    // Copied, because the bytes need not be aligned.
    const own = Uint8Array.prototype.slice.call(bytes, at, at + byteLength);
    at += byteLength;
    return [name, new type(own.buffer, 0, rows[index] ?? 0)];
  });
  if (at !== bytes.length) throw new RangeError('the columns of a compaction task do not fill it');
  const columns = Object.fromEntries(read) as unknown as Columns;
  const { topic, partition, fromOffset, toOffset, pointerCount } = columns;
  const { file, byteStart, byteLength, baseOffset, maxTimestampMs } = columns;
  return {
    ...head,
    ranges: { topic, partition, fromOffset, toOffset, pointerCount },
    pointers: { file, byteStart, byteLength, baseOffset, maxTimestampMs },
    ...(columns.markerRow.length === 0
      ? {}
      : {
          markers: {
            row: columns.markerRow,
            isCommit: columns.markerIsCommit,
            producerId: columns.markerProducerId,
            producerEpoch: columns.markerProducerEpoch,
            timestampMs: columns.markerTimestampMs,
          },
        }),
  };
}

function columnsOf({ ranges, pointers, markers }: CompactionJob): Columns {
  return {
    ...ranges,
    ...pointers,
    markerRow: markers?.row ?? new Uint32Array(0),
    markerIsCommit: markers?.isCommit ?? new Uint8Array(0),
    markerProducerId: markers?.producerId ?? new Float64Array(0),
    markerProducerEpoch: markers?.producerEpoch ?? new Int16Array(0),
    markerTimestampMs: markers?.timestampMs ?? new Float64Array(0),
  };
}
