import { ClusterBuckets, giveBucketId, type OwnBucket, readBucketId } from '@weir/broker';
import {
  type BucketPair,
  type ClusterPort,
  type KnownBucket,
  readBucketPair,
  readBuckets,
  takeSnapshot,
} from '@weir/cluster';
import type { Clock, Log } from '@weir/core';
import { Failure } from '@weir/core';
import { createBucket, type ObjectStore, problemOfBucket, StoreError } from '@weir/storage';
import { concealUrls } from '../values/conceal.ts';
import { isSameBucket, urlWithoutSecrets } from './allowed-buckets.ts';
import { type BucketCheckValues, checkBucket } from './bucket-check.ts';
import { bucketUrlForMessages } from './bucket-url-for-messages.ts';
import { checkClusterBucket, freshBucketId, patiently } from './cluster-bucket.ts';

interface AgentBucketsOptions {
  readonly clusterId: string;
  readonly cluster: Pick<ClusterPort, 'follow' | 'claimBucket' | 'registerBucket' | 'claimBucketPair'>;
  /** Of `-bucketURL`, or of the pair. */
  readonly own: OpenBucket | { readonly ingestion: OpenBucket; readonly compaction: OpenBucket };
  /** `-allowedBucketURLs` */
  readonly allowedUrls: readonly string[];
  /** Further URLs that the agent was started with, whose credentials it has. */
  readonly otherUrls?: readonly string[] | undefined;
  readonly open: (url: string) => Promise<ObjectStore>;
  readonly checkValues: BucketCheckValues;
  /** How buckets are checked before they are used. */
  readonly bucketCheck: Omit<Parameters<typeof checkBucket>[0], 'values' | 'setting' | 'bucketUrl' | 'store'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends the wait for a control plane or a bucket that cannot be reached. */
  readonly stop: AbortSignal;
}

interface OpenBucket {
  readonly url: string;
  readonly store: ObjectStore;
}

/**
 * Finds out which buckets of the cluster an agent was started with, and which one the cluster names (ADR 0048); fails
 * with one line if none of them is a bucket of the cluster.
 */
export async function agentBuckets(options: AgentBucketsOptions): Promise<ClusterBuckets> {
  const { clusterId, cluster, own, open, clock, log, stop } = options;
  const snapshot = await takeSnapshot(cluster, { stop });
  const facts = new Map(
    snapshot.records.flatMap(({ namespace, key, value }) =>
      namespace === 'clusterFact' ? [[key, value] as const] : [],
    ),
  );
  const known = readBuckets(facts);
  const named = snapshot.clusterConfigs['service.bucket.url']?.trim() ?? '';
  const ownUrls = 'url' in own ? [own.url] : [own.ingestion.url, own.compaction.url];
  const urls = [...ownUrls, ...(options.otherUrls ?? []), ...options.allowedUrls];
  const problemOf = (url: string) => problemOfBucket(url, { ownUrls, allowedUrls: options.allowedUrls });
  const preferredUrl = (url: string) => urls.find((ours) => isSameBucket(ours, url)) ?? url;
  const isNamedUsable = named !== '' && problemOf(preferredUrl(named)) === undefined;
  const found =
    'url' in own
      ? await ownBucket(options, own, known, isNamedUsable ? preferredUrl(named) : undefined)
      : await ownPair(options, own, known, named === '' ? readBucketPair(facts) : undefined);
  const buckets = new ClusterBuckets({
    clusterId,
    cluster,
    own: found,
    open,
    problemOf,
    preferredUrl,
    shownUrl: concealUrls,
    storedUrl: urlWithoutSecrets,
    check: (store, url, isKnown) =>
      // Once: it is repeated until the bucket can be used, or another one is named.
      prepare(
        { ...options, checkValues: { ...options.checkValues, checkBucketAccessRetryCount: 0 } },
        { url, store },
        'service.bucket.url',
        !isKnown,
      ),
    freshId: freshBucketId,
    clock,
    log,
  });
  buckets.restart(snapshot);
  await buckets.settled();
  if (!buckets.isUsable) {
    buckets.stop();
    throw new Failure(`service.bucket.url: failed to use ${concealUrls(named)}: ${buckets.problem}`);
  }
  return buckets;
}

/** Makes a bucket on disk that no agent has used, and checks that this one can use it. */
async function prepare(
  { checkValues: values, bucketCheck }: AgentBucketsOptions,
  { url, store }: OpenBucket,
  setting: string,
  isNew: boolean,
): Promise<void> {
  if (isNew) await createBucket(url);
  await checkBucket({ ...bucketCheck, values, setting, bucketUrl: url, store });
}

async function ownBucket(
  options: AgentBucketsOptions,
  { url, store }: OpenBucket,
  known: readonly KnownBucket[],
  named: string | undefined,
): Promise<{ readonly ingestion: OwnBucket; readonly compaction: OwnBucket }> {
  const { open } = options;
  const check = (bucket: OpenBucket, flag = '-bucketURL') =>
    checkClusterBucket({
      ...options,
      store: bucket.store,
      bucketUrl: bucket.url,
      flag,
      known,
      prepare: (isFirst) => prepare(options, bucket, flag, isFirst),
      freshId: freshBucketId,
    });
  const twice = (bucket: OwnBucket) => ({ ingestion: bucket, compaction: bucket });
  // The bucket that the cluster names becomes its first one.
  if (named !== undefined && known.length === 0 && named !== url) {
    await check({ url: named, store: await open(named) }, 'service.bucket.url');
    return twice({ url, store, number: undefined });
  }
  if (named !== undefined && known.length > 0) {
    // Its own bucket may be of no use to the agent, or not exist.
    const bucketId = await readBucketId(store, options.clusterId, known).catch((error) => {
      if (!(error instanceof StoreError)) throw error;
      return undefined;
    });
    const number = known.find((bucket) => bucket.bucketId === bucketId)?.number;
    return twice({ url, store, bucketId, number });
  }
  return twice({ url, store, ...(await check({ url, store })) });
}

/** Of a pair, one bucket has to be known to a cluster that has buckets; the other is registered. */
async function ownPair(
  options: AgentBucketsOptions,
  { ingestion, compaction }: { readonly ingestion: OpenBucket; readonly compaction: OpenBucket },
  knownBefore: readonly KnownBucket[],
  pairBefore: BucketPair | undefined,
): Promise<{ readonly ingestion: OwnBucket; readonly compaction: OwnBucket }> {
  const { clusterId, cluster } = options;
  const flags = { ingestion: '-ingestionBucketURL', compaction: '-compactionBucketURL' } as const;
  let known = knownBefore;
  const numberOf = async (bucket: OpenBucket) => {
    const bucketUrl = bucket.url;
    const bucketId = await patiently({ ...options, bucketUrl }, () =>
      readBucketId(bucket.store, clusterId, known),
    );
    return known.find((one) => one.bucketId === bucketId)?.number;
  };
  const isNew = ({ url }: OpenBucket) => !known.some((bucket) => isSameBucket(bucket.url, url));
  await prepare(options, ingestion, flags.ingestion, isNew(ingestion));
  await prepare(options, compaction, flags.compaction, isNew(compaction));
  let numbers = { ingestion: await numberOf(ingestion), compaction: await numberOf(compaction) };
  if (numbers.ingestion === undefined && numbers.compaction === undefined) {
    const { number, bucketId } = await checkClusterBucket({
      ...options,
      store: ingestion.store,
      bucketUrl: ingestion.url,
      flag: flags.ingestion,
      known,
      freshId: freshBucketId,
    });
    if (bucketId !== undefined) known = [...known, { number, bucketId, url: '' }];
    numbers = { ...numbers, ingestion: number };
  }
  const isOther = (pair: BucketPair) =>
    pair.ingestion !== numbers.ingestion || pair.compaction !== numbers.compaction;
  if (pairBefore !== undefined && isOther(pairBefore)) throw otherPair(options, known, pairBefore);
  const register = async ({ url, store }: OpenBucket) => {
    const number = await patiently({ ...options, bucketUrl: url }, async () =>
      cluster.registerBucket({
        bucketId: await giveBucketId(store, clusterId, known, freshBucketId),
        url: urlWithoutSecrets(url),
      }),
    );
    if (number < 0)
      throw new Failure(
        `${bucketUrlForMessages(url)}: the cluster has reached its maximum number of buckets`,
      );
    return number;
  };
  // All that an agent has to know which is started with one of them only.
  const pair = { ingestion: await register(ingestion), compaction: await register(compaction) };
  const claimed = await patiently({ ...options, bucketUrl: ingestion.url }, () =>
    cluster.claimBucketPair(pair),
  );
  numbers = pair;
  if (isOther(claimed)) throw otherPair(options, known, claimed);
  const ownOf = async ({ url, store }: OpenBucket, number: number): Promise<OwnBucket> => ({
    url,
    store,
    number,
    bucketId: await patiently({ ...options, bucketUrl: url }, () => readBucketId(store, clusterId, known)),
  });
  return {
    ingestion: await ownOf(ingestion, pair.ingestion),
    compaction: await ownOf(compaction, pair.compaction),
  };
}

function otherPair(
  { clusterId }: AgentBucketsOptions,
  known: readonly KnownBucket[],
  { ingestion, compaction }: BucketPair,
): Failure {
  const idOf = (number: number) =>
    known.find((bucket) => bucket.number === number)?.bucketId ?? `of bucket ${number}`;
  return new Failure(
    `-ingestionBucketURL, -compactionBucketURL: not the pair of ${clusterId}, whose ids are ${idOf(ingestion)} and ` +
      `${idOf(compaction)}; start the agent with the pair of the other agents, or set one bucket with service.bucket.url while the pair changes`,
  );
}
