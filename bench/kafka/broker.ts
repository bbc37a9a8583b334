import type { ServerProcess } from './server-process.ts';

/** A server under comparison, as seen by clients and by the harness. */
export interface Broker {
  readonly name: 'Weir' | 'Kafka' | 'tansu';
  /** Bootstrap address for clients. */
  readonly servers: string;
  /** All processes of the server. */
  readonly processes: readonly ServerProcess[];
  /** Text of `/metrics`; absent where the server has none. */
  metrics?(): Promise<string>;
  /** Restarts it over the same data. */
  restart(): Promise<Broker>;
  stop(): Promise<void>;
}

/** Returns the user and system CPU time of all its processes. */
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
