/** Releases that require changes by operators. Numbers are those of `v<N>`. */
interface BreakingChange {
  readonly release: number;
  readonly what: string;
  /** What an operator does about it before or while upgrading to that release. */
  readonly action: string;
}

const apiUrl = {
  what: 'The flag -consoleURL is called -apiURL.',
  action: 'Write -apiURL or SERVICE_API_URL. The old names still work and print a warning.',
};

export const breakingChanges: readonly BreakingChange[] = [
  {
    release: 679,
    what: 'Names of pushed metrics have a dot after their prefix.',
    action:
      'Change dashboards and monitors to service. and the name, or set -metricsNameNormalizer=false for the underscore.',
  },
  {
    release: 683,
    what: 'Fetch requests take a new path.',
    action:
      'Nothing. SERVICE_FETCH_SINGLE_KAFKA_BATCH=true returns one batch of a partition at a time, as before.',
  },
  {
    release: 699,
    what: 'Partitions are assigned to agents by another default strategy.',
    action: 'Nothing, or set -defaultPartitionAssignmentStrategy=single_agent for the earlier one.',
  },
  {
    release: 709,
    what: 'Distribution metrics per topic are off unless they are asked for.',
    action: 'Set -kafkaHighCardinalityDistributionMetrics where they are needed.',
  },
  { release: 741, ...apiUrl },
  {
    release: 758,
    what: 'Unsigned integers of Protobuf become decimals in tables.',
    action: 'Change queries that expect integers.',
  },
  {
    release: 780,
    what: 'Agents of data lake clusters need a bucket URL.',
    action: 'Set -bucketURL, or both -ingestionBucketURL and -compactionBucketURL.',
  },
  {
    release: 781,
    what: 'Reading the metadata of buckets has to be permitted in one of the clouds.',
    action: 'Permit storage.buckets.get on gs:// buckets, or set -skipBucketsPermissionCheck.',
  },
  { release: 785, ...apiUrl },
  {
    release: 802,
    what: 'Catalogs need further roles.',
    action: 'Nothing: the tables of this release are in buckets and need no catalog.',
  },
  {
    release: 821,
    what: 'The command cli is what cli-beta was; the former one is cli-old.',
    action: 'Change scripts that call cli to its flags, or let them call cli-old.',
  },
];
