import { fileURLToPath } from 'node:url';
import type { Lifetime } from './lifetime.ts';
import { ServerProcess } from './server-process.ts';
import { printLatency, type StoreLatency } from './store-latency.ts';

/** Requests to a bucket since its start. */
export interface BucketCounts {
  readonly puts: number;
  readonly gets: number;
  readonly refused: number;
  readonly storedBytes: number;
  /** Pages of 4 MiB in all objects; the last page of an object is shorter. */
  readonly pages: number;
}

interface CountedBucket {
  readonly url: string;
  counts(): Promise<BucketCounts>;
}

export interface SlowBucket extends CountedBucket {
  stop(): Promise<void>;
}

/** A server with any number of buckets, which count their requests apart. */
interface SlowStore {
  /** As in `http://127.0.0.1:1234`. */
  readonly endpoint: string;
  bucket(name: string): CountedBucket;
  stop(): Promise<void>;
}

/**
 * Starts a store with the given latency in a separate process. With a seed, latencies are the same in every run. With
 * `keptBytesMax` it drops the content of larger objects, for loads that do not read them.
 */
export async function startSlowStore(
  lifetime: Lifetime,
  latency: StoreLatency,
  seed?: number,
  keptBytesMax?: number,
): Promise<SlowStore> {
  const server = await ServerProcess.start(lifetime, {
    name: 'the bucket',
    program: process.execPath,
    args: [
      fileURLToPath(import.meta.resolve('./slow-s3.ts')),
      printLatency(latency),
      seed === undefined ? '' : String(seed),
      ...(keptBytesMax === undefined ? [] : [String(keptBytesMax)]),
    ],
    isReady: ({ text }) => /^port \d+\n/m.test(text),
  });
  const [, port] = /^port (\d+)\n/m.exec(server.text)!;
  const endpoint = `http://127.0.0.1:${port}`;
  return {
    endpoint,
    bucket: (name) => ({
      url: `s3://${name}?endpoint=127.0.0.1:${port}&disableSSL=true&s3ForcePathStyle=true&region=eu-west-1`,
      async counts() {
        return (await (await fetch(`${endpoint}/-/counts/${name}`)).json()) as BucketCounts;
      },
    }),
    stop: () => server.stop(),
  };
}

export async function startSlowBucket(
  lifetime: Lifetime,
  latency: StoreLatency,
  seed?: number,
  keptBytesMax?: number,
): Promise<SlowBucket> {
  const store = await startSlowStore(lifetime, latency, seed, keptBytesMax);
  return { ...store.bucket('bench'), stop: store.stop };
}
