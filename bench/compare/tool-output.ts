/** Summary that ProducerPerformance prints at its end. It measures a latency from the call of `send`. */
export interface ProducerSummary {
  readonly records: number;
  readonly recordsPerSecond: number;
  readonly averageMs: number;
  readonly maxMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
}

const producerLine =
  /^(\d+)(?: [a-z ]+)? records sent, ([\d.]+) records\/sec \([\d.]+ MB\/sec\), ([\d.]+) ms avg latency, ([\d.]+) ms max latency, (\d+) ms 50th, \d+ ms 95th, (\d+) ms 99th, (\d+) ms 99\.9th\.$/gm;

/** Reads the last summary. Lines about single intervals have no percentiles and do not count. */
export function parseProducerOutput(text: string): ProducerSummary {
  const found = [...text.matchAll(producerLine)].at(-1);
  if (found === undefined) throw new Error(`ProducerPerformance printed no summary:\n${text}`);
  const [, records, recordsPerSecond, averageMs, maxMs, p50Ms, p99Ms, p999Ms] = found.map(Number);
  return {
    records: records!,
    recordsPerSecond: recordsPerSecond!,
    averageMs: averageMs!,
    maxMs: maxMs!,
    p50Ms: p50Ms!,
    p99Ms: p99Ms!,
    p999Ms: p999Ms!,
  };
}

export interface ConsumerSummary {
  readonly records: number;
  /** Time until the group had assigned partitions: Apache's server lets a new group wait for 3 s by default. */
  readonly joinMs: number;
  /** Time without that. */
  readonly fetchMs: number;
}

/** Reads the columns that ConsumerPerformance prints under its header line. */
export function parseConsumerOutput(text: string): ConsumerSummary {
  const lines = text.split('\n').map((line) => line.split(',').map((cell) => cell.trim()));
  const header = lines.findIndex((cells) => cells[0] === 'start.time');
  const values = lines[header + 1];
  const value = (name: string) => Number(values?.[lines[header]?.indexOf(name) ?? -1]);
  const [records, joinMs, fetchMs] = [
    value('data.consumed.in.nMsg'),
    value('rebalance.time.ms'),
    value('fetch.time.ms'),
  ];
  if (header === -1 || ![records, joinMs, fetchMs].every(Number.isFinite)) {
    throw new Error(`ConsumerPerformance printed no summary:\n${text}`);
  }
  return { records, joinMs, fetchMs };
}
