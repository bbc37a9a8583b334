import type { LightSummary } from './light-client.ts';
import type { Bench } from './measure.ts';
import type { Values } from './metrics.ts';
import type { Side } from './sides.ts';

/** Flags of the light client by name, without dashes. */
export type LightFlags = Readonly<Record<string, string | number>>;

/** Requests that a server has answered before its first row, so that what a request needs is compiled. */
const warmUpRequests = 100_000;
/** Size of a request with one record of 1 KiB. */
const smallRequestBytes = 1100;
/** So many wait at once, because a server that waits for a disk or a store answers many at a time. */
const warmUpConnections = 16;

/** Runs the light client against a side, on the cores that the side leaves to clients. */
export async function runLight(
  bench: Bench,
  { broker, clientCores }: Side,
  command: 'produce' | 'fetch',
  topic: string,
  partitions: number,
  flags: LightFlags,
): Promise<LightSummary> {
  const all = { server: broker.servers, topic, partitions, ...flags };
  const args = Object.entries(all).flatMap(([name, value]) => [
    `--${name}`,
    String(typeof value === 'number' ? Math.round(value) : value),
  ]);
  const summary = await bench.runLight([command, ...args], clientCores);
  if (command === 'produce') {
    bench.writtenBytes.set(broker, (bench.writtenBytes.get(broker) ?? 0) + summary.bytes);
    bench.lightRequests.set(broker, (bench.lightRequests.get(broker) ?? 0) + summary.requests);
  }
  return summary;
}

export function lightValues({ bytes, seconds, cpuSeconds }: LightSummary): Values {
  return { mbPerSecond: bytes / 1e6 / seconds, clientSecondsPerGb: cpuSeconds / (bytes / 1e9) };
}

export function lightLatencies({ p50Ms, p99Ms, p999Ms }: LightSummary): Values {
  return { openP50Ms: p50Ms, openP99Ms: p99Ms, openP999Ms: p999Ms };
}

/** Once for each server; ends earlier where a limit in time is given. */
export async function warmUpLight(
  bench: Bench,
  side: Side,
  topic: string,
  partitions: number,
  limits: { readonly connections?: number; readonly seconds?: number } = {},
): Promise<void> {
  const answered = bench.lightRequests.get(side.broker) ?? 0;
  if (answered >= warmUpRequests) return;
  const bytes = (warmUpRequests - answered) * smallRequestBytes;
  const flags = { batches: 1, records: 1, connections: warmUpConnections, bytes, ...limits };
  await runLight(bench, side, 'produce', topic, partitions, flags);
}
