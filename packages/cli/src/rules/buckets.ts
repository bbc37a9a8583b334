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
    return forbidden(['bucketURL', half], 'one bucket excludes the pair of buckets');
  }
  if (ingestion !== undefined && compaction !== undefined)
    return { value: { kind: 'split', ingestion, compaction } };
  if (ingestion !== undefined)
    return forbidden(['ingestionBucketURL'], 'only goes together with -compactionBucketURL');
  if (compaction !== undefined)
    return forbidden(['compactionBucketURL'], 'only goes together with -ingestionBucketURL');
  return missing(['bucketURL'], 'an agent needs it, or -ingestionBucketURL and -compactionBucketURL');
}

export const bucketRule: Rule = {
  statement:
    'An agent needs -bucketURL, or both -ingestionBucketURL and -compactionBucketURL. The single form and the pair ' +
    'exclude one another.',
  flags: ['bucketURL', 'ingestionBucketURL', 'compactionBucketURL'],
  commands: ['agent'],
  check(values) {
    const resolved = resolveBuckets(values);
    return 'problem' in resolved ? resolved.problem : undefined;
  },
};
