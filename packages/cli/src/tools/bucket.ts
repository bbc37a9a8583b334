import { Failure, Metrics, silentLog, systemRandom } from '@weir/core';
import { listClusterIds, type ObjectStore, openStore, StoreError } from '@weir/storage';
import type { Deps } from '../deps.ts';
import type { CommandValues } from '../flags/catalogue.ts';
import { storeSettings } from '../servers/store-settings.ts';
import { bucketUrl } from '../values/bucket-url.ts';

/** Runs a tool with the bucket of -bucketURL; its errors become one line. */
export async function withBucket<Result>(
  values: CommandValues<'cli file-reader' | 'cli file-scrubber' | 'cli diagnose-record'>,
  { clock, environment }: Deps,
  work: (store: ObjectStore) => Promise<Result>,
): Promise<Result> {
  const deps = { clock, random: systemRandom, environment, log: silentLog, metrics: new Metrics() };
  try {
    const store = await openStore(bucketUrl().print(values.bucketURL!), {
      ...deps,
      ...storeSettings(values),
      usesMetadataService: true,
    });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  } catch (error) {
    if (error instanceof StoreError) throw new Failure(error.message);
    throw error;
  }
}

/** The cluster that a flag names, or the only one that has objects in the bucket. */
export async function clusterIn(
  store: ObjectStore,
  given: string | undefined,
  flag = '-defaultVirtualClusterID',
): Promise<string> {
  if (given !== undefined) return given;
  const [found, ...others] = await listClusterIds(store);
  if (found === undefined) throw new Failure('-bucketURL: no cluster has files in this bucket');
  if (others.length === 0) return found;
  const ids = [found, ...others].join(', ');
  throw new Failure(`-bucketURL: the bucket has files of ${ids}; choose one with ${flag}`);
}
