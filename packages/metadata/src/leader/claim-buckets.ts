import {
  type BucketPair,
  type BucketToRegister,
  bucketFact,
  bucketPairFact,
  ClusterUnavailable,
  clusterFacts,
  nextBucketNumber,
  readBucketPair,
  readBuckets,
  writeBucket,
  writeBucketPair,
} from '@weir/cluster';
import type { Command, CommandOf, ReplyOf } from '@weir/machine';
import type { Leadership } from './leadership.ts';

interface ClaimContext {
  readonly leadership: Pick<Leadership, 'pipeline' | 'nowMs'>;
  readonly submit: <C extends Command>(command: C) => Promise<ReplyOf<C>>;
}

type EntryChanges = CommandOf<'putEntries'>['changes'];

/** Assigns the first bucket of a cluster; `null` only reads its id. */
export async function claimBucket(context: ClaimContext, bucketId: string | null): Promise<string | null> {
  const { namespace, key } = clusterFacts.bucketId;
  let claimed: string | null = null;
  const answer = context.leadership.pipeline.ask((machine) => {
    claimed = machine.kv.get(namespace, key)?.toString() ?? null;
    return claimed;
  });
  if (claimed !== null || bucketId === null) return answer;
  const knownFrom = Buffer.from(String(context.leadership.nowMs()));
  await put(context, answer, [
    { namespace, key, value: Buffer.from(bucketId) },
    { ...clusterFacts.filesKnownFrom, value: knownFrom },
  ]);
  return bucketId;
}

/** Returns the number of a bucket, which is a new one if the cluster does not know its id; -1 if none is left. */
export async function registerBucket(
  context: ClaimContext,
  { bucketId, url }: BucketToRegister,
): Promise<number> {
  let number = -1;
  let changes: EntryChanges = [];
  const answer = context.leadership.pipeline.ask((machine) => {
    const facts = machine.kv.of('clusterFact');
    const buckets = readBuckets(facts);
    const known = buckets.find((bucket) => bucket.bucketId === bucketId);
    number = known?.number ?? nextBucketNumber(facts) ?? -1;
    if (buckets.length === 0 || number < 0) return -1;
    if (known === undefined || (url !== null && url !== known.url)) {
      const value = writeBucket({ bucketId, idOf: known?.idOf, url: url ?? known?.url ?? '' });
      changes = [{ ...bucketFact(number), value }];
    }
    return number;
  });
  if (changes.length === 0) return answer;
  await put(context, answer, changes);
  return number;
}

/**
 * Returns the pair of buckets that agents of this cluster are started with. The first agent that has a pair sets it.
 * While the cluster itself names a bucket, no new file goes to the pair, and an agent may set another.
 */
export async function claimBucketPair(context: ClaimContext, pair: BucketPair): Promise<BucketPair> {
  let found: BucketPair | undefined;
  const answer = context.leadership.pipeline.ask((machine) => {
    const namesBucket = (machine.clusterConfigs()['service.bucket.url'] ?? '').trim() !== '';
    found = namesBucket ? undefined : readBucketPair(machine.kv.of('clusterFact'));
    return found ?? pair;
  });
  if (found !== undefined) return answer;
  await put(context, answer, [{ ...bucketPairFact, value: writeBucketPair(pair) }]);
  return pair;
}

/** In the same turn of the event loop as the question, so that no other claim comes between. */
async function put({ submit }: ClaimContext, answer: Promise<unknown>, changes: EntryChanges): Promise<void> {
  const [{ message }] = await Promise.all([submit({ kind: 'putEntries', changes }), answer]);
  if (message !== null) throw new ClusterUnavailable(`failed to register the bucket: ${message}`);
}
