import type { ServerProcess } from './server-process.ts';

/** One of the two that are compared, as its client and the harness see it. */
export interface Broker {
  readonly name: 'Weir' | 'Kafka';
  /** The address for clients. */
  readonly servers: string;
  /** Every process that works for it. */
  readonly processes: readonly ServerProcess[];
  /** Stops it and starts it again over the same data. */
  restart(): Promise<Broker>;
  stop(): Promise<void>;
}

/** User and system time of all its processes. */
export function cpuSecondsOf({ processes }: Broker): number | undefined {
  return sumOf(processes, ({ results }) => results?.cpuSeconds);
}

export function peakBytesOf({ processes }: Broker): number | undefined {
  return sumOf(processes, ({ results }) => results?.peakBytes);
}

function sumOf(
  processes: readonly ServerProcess[],
  of: (process: ServerProcess) => number | undefined,
): number | undefined {
  let sum = 0;
  for (const process of processes) {
    const value = of(process);
    if (value === undefined) return undefined;
    sum += value;
  }
  return sum;
}
