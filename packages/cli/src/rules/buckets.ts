import { clusterKind } from '@weir/core';
import type { FlagValues } from '../flags/catalogue.ts';
import type { Outcome } from '../outcome.ts';
import type { BucketUrl } from '../values/bucket-url.ts';
import { forbidden, missing, type Rule, type Violation } from './rule.ts';

/** Where an agent stores the data: one bucket, or one for new files and one for compacted files. */
type ClusterBuckets =
  | { readonly kind: 'single'; readonly bucket: BucketUrl }
  | { readonly kind: 'split'; readonly ingestion: BucketUrl; readonly compaction: BucketUrl };

type Values = Pick<FlagValues, 'bucketURL' | 'ingestionBucketURL' | 'compactionBucketURL'>;

export function resolveBuckets(values: Values): Outcome<ClusterBuckets, Violation> {
  const { bucketURL: bucket, ingestionBucketURL: ingestion, compactionBucketURL: compaction } = values;
  if (bucket !== undefined) {
    const half = ingestion === undefined ? 'compactionBucketURL' : 'ingestionBucketURL';
    if (values[half] === undefined) return { value: { kind: 'single', bucket } };
    return forbidden(['bucketURL', half], 'set one bucket or a pair, not both');
  }
  if (ingestion !== undefined && compaction !== undefined) {
    const isInMemory = ({ buckets }: BucketUrl) => buckets.some(({ scheme }) => scheme === 'mem');
    if (isInMemory(ingestion)) return forbidden(['ingestionBucketURL'], 'mem:// is not allowed in a pair');
    if (isInMemory(compaction)) return forbidden(['compactionBucketURL'], 'mem:// is not allowed in a pair');
    if (placeOf(ingestion) === placeOf(compaction))
      return forbidden(
        ['compactionBucketURL'],
        'same bucket as -ingestionBucketURL; for one bucket use -bucketURL',
      );
    return { value: { kind: 'split', ingestion, compaction } };
  }
  if (ingestion !== undefined) return forbidden(['ingestionBucketURL'], 'needs -compactionBucketURL');
  if (compaction !== undefined) return forbidden(['compactionBucketURL'], 'needs -ingestionBucketURL');
  return missing(['bucketURL'], 'is required, or -ingestionBucketURL and -compactionBucketURL');
}

/** The URL without what does not change the place of objects; the ids in the buckets decide at the start. */
function placeOf({ wrapper, buckets }: BucketUrl): string {
  const places = buckets.map(({ url, prefix }) => `${url.split('?')[0]!.replace(/\/+$/, '')}/${prefix}`);
  return `${wrapper} ${places.join(' ')}`;
}

export const bucketRule: Rule = {
  statement:
    'An agent needs -bucketURL, or both -ingestionBucketURL and -compactionBucketURL, which must be different buckets and ' +
    'not mem://. Set one bucket or a pair, not both; tables are in that of -compactionBucketURL. An agent of a schema registry (vci_sr_) uses no ' +
    'bucket.',
  flags: ['bucketURL', 'ingestionBucketURL', 'compactionBucketURL', 'defaultVirtualClusterID'],
  commands: ['agent'],
  check(values) {
    if (clusterKind(values.defaultVirtualClusterID) === 'schema registry') return undefined;
    const resolved = resolveBuckets(values);
    return 'problem' in resolved ? resolved.problem : undefined;
  },
};
