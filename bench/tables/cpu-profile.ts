/** A CPU profile of this process, by the parts of ingestion. */
import { Session } from 'node:inspector/promises';

/** A part is where a function is, or the nearest caller that is in one. Earlier rules count first. */
const parts: readonly [part: string, place: RegExp][] = [
  ['decode', /packages\/tables\/src\/rows\/(?:exact-json|json-values|document-values)/],
  ['convert', /packages\/(?:tables\/src\/rows|bloblang)\//],
  ['DuckDB', /packages\/tables\/src\/parquet\/|@duckdb\//],
  ['partitions', /packages\/tables\/src\/append\//],
  ['commit', /packages\/(?:iceberg|storage)\//],
  ['source', /bench\/tables\/|packages\/tables\/src\/(?:source|ingestion)\/|packages\/(?:client|wire)\//],
];

export interface ProfilePart {
  readonly part: string;
  /** Of the CPU time of the process. */
  readonly percent: number;
}

/** Runs the work, and returns what its CPU time went to; threads of DuckDB and of the collector are a part. */
export async function profiled(work: () => Promise<void>): Promise<ProfilePart[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 1000 });
  await session.post('Profiler.start');
  const [before, threadBefore] = [process.cpuUsage(), process.threadCpuUsage()];
  await work();
  const ofProcess = secondsOf(process.cpuUsage(before));
  const ofThread = secondsOf(process.threadCpuUsage(threadBefore));
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  const parentOf = new Map<number, number>();
  for (const { id, children = [] } of profile.nodes) for (const child of children) parentOf.set(child, id);
  const partOf = (id: number): string => {
    for (let at: number | undefined = id; at !== undefined; at = parentOf.get(at)) {
      const { functionName, url } = byId.get(at)!.callFrame;
      if (at === id && functionName === '(idle)') return 'idle';
      if (at === id && functionName === '(garbage collector)') return 'garbage';
      const found = parts.find(([, place]) => place.test(url));
      if (found !== undefined) return found[0];
    }
    return 'other';
  };
  const samples = new Map<string, number>();
  for (const id of profile.samples ?? []) {
    const part = partOf(id);
    samples.set(part, (samples.get(part) ?? 0) + 1);
  }
  samples.delete('idle');
  const total = [...samples.values()].reduce((sum, count) => sum + count, 0);
  // Samples are taken as time passes, which others may have used; so only their ratio counts.
  const found = [...samples].map(([part, count]) => ({
    part,
    percent: (100 * ofThread * count) / total / ofProcess,
  }));
  const others = { part: 'other threads', percent: 100 * Math.max(0, 1 - ofThread / ofProcess) };
  return [...found, others].toSorted((one, other) => other.percent - one.percent);
}

function secondsOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1e6;
}
