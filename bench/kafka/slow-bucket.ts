import { fileURLToPath } from 'node:url';
import type { Lifetime } from './lifetime.ts';
import { ServerProcess } from './server-process.ts';
import { printLatency, type StoreLatency } from './store-latency.ts';

/** Requests to a bucket since its start. */
interface BucketCounts {
  readonly puts: number;
  readonly gets: number;
  readonly refused: number;
  readonly storedBytes: number;
  /** Pages of 4 MiB in all objects; the last page of an object is shorter. */
  readonly pages: number;
}

export interface SlowBucket {
  readonly url: string;
  counts(): Promise<BucketCounts>;
  stop(): Promise<void>;
}

/** Starts a bucket with the given latency in a separate process. With a seed, latencies are the same in every run. */
export async function startSlowBucket(
  lifetime: Lifetime,
  latency: StoreLatency,
  seed?: number,
): Promise<SlowBucket> {
  const server = await ServerProcess.start(lifetime, {
    name: 'the bucket',
    program: process.execPath,
    args: [
      fileURLToPath(import.meta.resolve('./slow-s3.ts')),
      printLatency(latency),
      ...(seed === undefined ? [] : [String(seed)]),
    ],
    isReady: ({ text }) => /^port \d+\n/m.test(text),
  });
  const [, port] = /^port (\d+)\n/m.exec(server.text)!;
  return {
    url: `s3://bench?endpoint=127.0.0.1:${port}&disableSSL=true&s3ForcePathStyle=true&region=eu-west-1`,
    async counts() {
      return (await (await fetch(`http://127.0.0.1:${port}/-/counts`)).json()) as BucketCounts;
    },
    stop: () => server.stop(),
  };
}
