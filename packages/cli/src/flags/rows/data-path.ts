import { MiB } from '@weir/core';
import { bool } from '../../values/bool.ts';
import { autoOrInt, bytes, durationMs, int, percent } from '../../values/numbers.ts';
import { available } from '../row.ts';
import { brokers } from './takers.ts';

/** How agents batch records into log files. */
export const writePathFlags = [
  available({
    name: 'batchTimeout',
    type: durationMs({ min: 25 }),
    default: 250,
    commands: brokers,
    help: 'Upload a file at most this long after its first record.',
    rule: 'A file is uploaded earlier if it is large enough or if all its clients wait for it. Below 100ms the delay is about the duration of an upload.',
  }),
  available({
    name: 'batchMaxSizeBytes',
    type: bytes({ max: 128 * MiB }),
    commands: brokers,
    help: 'Upload a file when its records reach this size before compression.',
  }),
  available({
    name: 'batchMaxCompressedSizeBytes',
    type: bytes(),
    commands: brokers,
    help: 'Upload a file when its records reach this estimated size after compression.',
    rule: 'Files can be larger than the estimate.',
  }),
  available({
    name: 'maxProduceRecordSizeBytes',
    type: bytes({ min: MiB, max: 128 * MiB }),
    default: 32 * MiB,
    commands: brokers,
    help: 'The largest record to accept, unless the topic or the cluster sets a limit.',
  }),
  available({
    name: 'useRangeFileIDAllocator',
    type: bool(),
    default: false,
    commands: ['agent'],
    help: 'Allocate file ids from ranges instead of at random.',
    rule: 'The agent uses ranges of 65,536 ids, so that its files are recognizable in the bucket and keys spread evenly over prefixes. Ids sort by time either way.',
  }),
  available({
    name: 'highCPUBackpressureThresholdPercent',
    type: percent(),
    default: 98,
    commands: brokers,
    help: 'Throttle Kafka clients while the CPU load stays at or above this.',
    rule: 'The higher of the CPU share of this process and the utilization of its event loop, over five seconds. Other processes do not count. 0 turns it off.',
  }),
  available({
    name: 'processes',
    type: autoOrInt({ min: 1, max: 1024 }),
    default: 1,
    commands: ['agent'],
    help: 'The number of agent processes on this machine.',
    rule: 'auto starts one per core. Each is a broker with the next Kafka and HTTP port, and is restarted if it dies. local and playground run one process.',
  }),
  available({
    name: 'servingThreads',
    type: autoOrInt({ min: 1, max: 64 }),
    default: 'auto',
    commands: brokers,
    help: 'The number of threads that accept Kafka connections, read requests and send responses.',
    rule: 'They share the Kafka port. 1: the main thread does it. auto: on Linux one per core except one, at most 8, of an agent that is one process; 1 in any other case.',
  }),
];

const uncompressedRule =
  'The size of a batch is taken from its compression frames, or is the largest possible if lz4 or zstd frames lack it. The first batch is always returned. Limits of clients apply to stored bytes, as in Kafka.';

/** How agents read and return records. */
export const readPathFlags = [
  available({
    name: 'kafkaMaxFetchRequestBytesUncompressedOverride',
    type: bytes(),
    default: 256 * MiB,
    commands: brokers,
    help: 'The maximum bytes per Fetch response, before compression.',
    rule: uncompressedRule,
  }),
  available({
    name: 'kafkaMaxFetchPartitionBytesUncompressedOverride',
    type: bytes(),
    default: 256 * MiB,
    commands: brokers,
    help: 'The maximum bytes per partition in a Fetch response, before compression.',
    rule: uncompressedRule,
  }),
  available({
    name: 'autoTuneFetchLimits',
    type: bool(),
    default: true,
    commands: brokers,
    help: 'Raise small byte limits of clients.',
    rule: 'Accepted and ignored: byte limits of clients apply to stored bytes, as in Kafka.',
  }),
  available({
    name: 'fetchSingleKafkaBatch',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Return one batch per partition and Fetch, as releases before v683.',
    rule: 'Clients need more requests; not recommended.',
  }),
  available({
    name: 'enablePrefetchingForSinglePartitionWorkloads',
    type: bool(),
    default: true,
    commands: brokers,
    help: 'Read ahead for consumers of a single partition.',
  }),
  available({
    name: 'enableMetadataTopicsCache',
    type: bool(),
    default: true,
    commands: brokers,
    help: 'Serve Metadata requests from a cache.',
    rule: 'New and deleted topics can then show with up to a second of delay. Otherwise each request asks the control plane and is up to date.',
  }),
  available({
    name: 'maxConcurrentMetadataRequestsPerCPU',
    type: int({ min: 0 }),
    default: 16,
    commands: brokers,
    help: 'The maximum number of concurrent Metadata requests per core.',
    rule: '0 removes the limit.',
  }),
];
