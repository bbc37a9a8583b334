/** What a run measures. */
interface MetricSpec {
  readonly title: string;
  readonly unit: string;
  /** How runs are combined where a bar applies: memory counts by its worst run. */
  readonly of: 'median' | 'max';
}

const metric = (title: string, unit: string, of: MetricSpec['of'] = 'median'): MetricSpec => ({
  title,
  unit,
  of,
});

/** In the order of the tables. */
export const metrics = {
  mbPerSecond: metric('throughput', 'MB/s'),
  wholeMbPerSecond: metric('throughput with the join of the group', 'MB/s'),
  cpuSecondsPerGb: metric('server CPU', 's/GB'),
  warmCpuSecondsPerGb: metric('server CPU without compiler threads', 's/GB'),
  userSecondsPerGb: metric('of it user', 's/GB'),
  systemSecondsPerGb: metric('of it system', 's/GB'),
  gcSecondsPerGb: metric('of it GC on the main thread (Weir) or GC threads (Kafka)', 's/GB'),
  afterSecondsPerGb: metric('server CPU after the load, until it is idle', 's/GB'),
  clientSecondsPerGb: metric('CPU of the client', 's/GB'),
  openP50Ms: metric('p50, open loop', 'ms'),
  openP99Ms: metric('p99, open loop', 'ms'),
  openP999Ms: metric('p99.9, open loop', 'ms'),
  toolP50Ms: metric('p50, as ProducerPerformance measures it', 'ms'),
  toolP99Ms: metric('p99, as ProducerPerformance measures it', 'ms'),
  filesPerSecond: metric('files written', '/s'),
  requestsPerGb: metric('produce requests', '/GB'),
  batchesPerGb: metric('batches', '/GB'),
  putsPerGib: metric('PUTs of the full speed', '/GiB'),
  fetchMbPerSecond: metric('fetch', 'MB/s'),
  fetchCpuSecondsPerGb: metric('server CPU of the fetch', 's/GB'),
  getsPerGib: metric('GETs of the fetch', '/GiB'),
  startMs: metric('process start to first produce', 'ms'),
  idleMib: metric('resident memory, idle', 'MiB', 'max'),
  residentMib: metric('resident memory', 'MiB', 'max'),
  peakMib: metric('peak memory of a run', 'MiB', 'max'),
} satisfies Readonly<Record<string, MetricSpec>>;

export type MetricName = keyof typeof metrics;

export const metricNames = Object.keys(metrics) as MetricName[];

export type Values = Readonly<Partial<Record<MetricName, number>>>;

/** One run of one side. */
export interface RunRecord {
  readonly values: Values;
  /** CPU by what threads do, in seconds per GB. */
  readonly threads?: Readonly<Record<string, number>>;
}
