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
    help: 'Write a file at the latest this long after its first record.',
    rule: 'A file is written earlier when it is large enough, or when all clients that have requests in it wait for it. With less than 100ms it waits for about one and a half times what an upload takes.',
  }),
  available({
    name: 'batchMaxSizeBytes',
    type: bytes({ max: 128 * MiB }),
    commands: brokers,
    help: 'Write a file when its records reach this size before compression.',
  }),
  available({
    name: 'batchMaxCompressedSizeBytes',
    type: bytes(),
    commands: brokers,
    help: 'Write a file when its records are likely to reach this size after compression.',
    rule: 'An estimate, so that files can come out larger.',
  }),
  available({
    name: 'maxProduceRecordSizeBytes',
    type: bytes({ min: MiB, max: 128 * MiB }),
    default: 32 * MiB,
    commands: brokers,
    help: 'The largest record that is accepted, unless its topic or the cluster sets a limit.',
  }),
  available({
    name: 'useRangeFileIDAllocator',
    type: bool(),
    default: false,
    commands: ['agent'],
    help: 'Take file ids out of ranges rather than drawing each at random.',
    rule: 'The agent draws a range of 65,536 ids and uses them in turn: files of one agent are recognizable in the bucket, and keys spread evenly over its prefixes. Ids sort by time either way.',
  }),
  available({
    name: 'highCPUBackpressureThresholdPercent',
    type: percent(),
    default: 98,
    commands: brokers,
    help: 'Slow Kafka clients down while the processor load stays at or above this.',
    rule: 'Counts what this process uses of all processors that it may use, or what its event loop uses of one, whichever is higher, for five seconds on end. What other processes use does not count. 0 turns this off.',
  }),
  available({
    name: 'processes',
    type: autoOrInt({ min: 1, max: 1024 }),
    default: 1,
    commands: ['agent'],
    help: 'How many agent processes share this machine.',
    rule: 'auto starts one per core. Clients see each as a broker, with the next Kafka and HTTP port; one that dies is started again. local and playground are one process and do not take it.',
  }),
];

const uncompressedRule =
  'A batch counts as what its frames say that it becomes; where lz4 and zstd do not say so, as the most that it can become. The first batch is returned whatever its size. Limits of clients count bytes as stored, as in Kafka.';

/** How agents read and return records. */
export const readPathFlags = [
  available({
    name: 'kafkaMaxFetchRequestBytesUncompressedOverride',
    type: bytes(),
    default: 256 * MiB,
    commands: brokers,
    help: 'The most bytes that one fetch returns, counted before compression.',
    rule: uncompressedRule,
  }),
  available({
    name: 'kafkaMaxFetchPartitionBytesUncompressedOverride',
    type: bytes(),
    default: 256 * MiB,
    commands: brokers,
    help: 'The most bytes that one fetch returns for one partition, counted before compression.',
    rule: uncompressedRule,
  }),
  available({
    name: 'autoTuneFetchLimits',
    type: bool(),
    default: true,
    commands: brokers,
    help: 'Raise the byte limits of clients that ask for little.',
    rule: 'Accepted and without effect: byte limits of clients count bytes as stored, as in Kafka, so that none has to be raised.',
  }),
  available({
    name: 'fetchSingleKafkaBatch',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Return one batch of each partition at a time, as releases before v683 did.',
    rule: 'Clients make more requests then; there is no need for it.',
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
    help: 'Answer metadata requests from a cache of the topics.',
    rule: 'With it a new topic can be missing, and creating or deleting one can take, up to a second. Without it every request asks the control plane first, and shows what was created or deleted before it.',
  }),
  available({
    name: 'maxConcurrentMetadataRequestsPerCPU',
    type: int({ min: 0 }),
    default: 16,
    commands: brokers,
    help: 'How many metadata requests are worked on at once, per core.',
    rule: '0 removes the limit.',
  }),
];
