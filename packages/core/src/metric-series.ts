/** What the series of a metric differ by; there is always one of the whole cluster. */
export const seriesTags = ['agent', 'topic', 'group', 'pipeline', 'table'] as const;
export type SeriesTag = (typeof seriesTags)[number];

interface SeriesMetric {
  readonly unit: 'bytes' | 'bytes/s' | 'records/s' | 'ms' | 'seconds' | 'records' | 'agents' | 'ratio';
  readonly help: string;
  /** A series exists of the cluster and of each of these; two of them are a topic within a group. */
  readonly by: readonly SeriesTag[];
  /** What a longer step shows of shorter ones. */
  readonly merge: 'mean' | 'max';
}

/** The metrics whose last day the leader of a cluster keeps, by the names of the API. */
export const seriesMetrics = {
  in_bytes_per_second: {
    unit: 'bytes/s',
    help: 'Bytes of records that producers sent, compressed as they were sent. Of a pipeline, what its instances read.',
    by: ['agent', 'topic', 'pipeline'],
    merge: 'mean',
  },
  out_bytes_per_second: {
    unit: 'bytes/s',
    help: 'Bytes of records that consumers read, compressed as they are stored. Of a pipeline, what its instances wrote. Of a table, its new rows, uncompressed.',
    by: ['agent', 'pipeline', 'table'],
    merge: 'mean',
  },
  in_records_per_second: {
    unit: 'records/s',
    help: 'Records that were appended. Of a pipeline, what its instances read. Of a table, what was read of its topic.',
    by: ['agent', 'topic', 'pipeline', 'table'],
    merge: 'mean',
  },
  out_records_per_second: {
    unit: 'records/s',
    help: 'Records that consumers read. Of a pipeline, what its instances wrote. Of a table, new rows, which come with its commits.',
    by: ['agent', 'pipeline', 'table'],
    merge: 'mean',
  },
  stored_bytes: {
    unit: 'bytes',
    help: 'Bytes of the stored records, compressed as they were sent; what clones share counts for each. Of a table, its data files.',
    by: ['topic', 'table'],
    merge: 'mean',
  },
  produce_latency_p50_ms: {
    unit: 'ms',
    help: 'The median time of Produce requests from receipt to answer.',
    by: ['agent'],
    merge: 'mean',
  },
  produce_latency_p99_ms: {
    unit: 'ms',
    help: 'The 99th percentile of the time of Produce requests from receipt to answer.',
    by: ['agent'],
    merge: 'max',
  },
  lag: {
    unit: 'records',
    help: 'Records that groups have yet to read, of all their committed partitions. Of a table, records that it does not have yet.',
    by: ['group', 'topic', 'table'],
    merge: 'mean',
  },
  lag_seconds: {
    unit: 'seconds',
    help: 'Age of the oldest record that readers of a table cannot see yet. Of a cluster, that of the table that is farthest behind.',
    by: ['table'],
    merge: 'max',
  },
  consumed_records_per_second: {
    unit: 'records/s',
    help: 'How fast the committed offsets of a group move.',
    by: ['group', 'topic'],
    merge: 'mean',
  },
  produced_records_per_second: {
    unit: 'records/s',
    help: 'How fast the partitions that a group has offsets of grow.',
    by: ['group', 'topic'],
    merge: 'mean',
  },
  agents: { unit: 'agents', help: 'Agents with a recent heartbeat.', by: [], merge: 'mean' },
  cpu_load: {
    unit: 'ratio',
    help: 'How much of their processors agents use, from 0 to 1.',
    by: ['agent'],
    merge: 'mean',
  },
} as const satisfies Record<string, SeriesMetric>;

export type SeriesMetricName = keyof typeof seriesMetrics;

export const seriesMetricNames = Object.keys(seriesMetrics) as SeriesMetricName[];

/** The steps that are kept, and for how long: the last hour in short steps, the last day in long ones. */
export const seriesShortStepMs = 10_000;
export const seriesShortRangeMs = 3_600_000;
export const seriesLongStepMs = 60_000;
export const seriesLongRangeMs = 24 * 3_600_000;
