import { availableParallelism, totalmem } from 'node:os';
import type { AgentOptions } from '@weir/agent';
import { GiB, MiB } from '@weir/core';
import type { JobSettings } from '@weir/jobs';
import { bucketUrlsOf, type ObjectStore } from '@weir/storage';
import type { CommandValues } from '../flags/catalogue.ts';
import { resolveFlushSizes } from '../rules/flush-size.ts';
import { servingThreadCount } from '../rules/serving-threads.ts';
import { clusterMetricsSettings } from './metrics-settings.ts';
import { saslSettings } from './security-settings.ts';

type BrokerValues = CommandValues<'local'> | CommandValues<'playground'> | CommandValues<'agent'>;

/** The settings of an agent's data path that come from flags. */
type AgentSettings = Pick<
  AgentOptions,
  | 'flush'
  | 'hedgesUploads'
  | 'usesFileIdRanges'
  | 'hasRipcord'
  | 'recordBytesMax'
  | 'impersonation'
  | 'sasl'
  | 'logsAclDenials'
  | 'answersQueries'
  | 'logIntakeDefaultTopic'
  | 'fetchRequestBytesMax'
  | 'fetchPartitionBytesMax'
  | 'fetchesSingleBatch'
  | 'hidesOutOfRange'
  | 'countsPerTopic'
  | 'metadataAsksLeader'
  | 'pageCacheBytesMax'
  | 'readahead'
  | 'bufferedBytesMax'
  | 'idleConnectionMs'
  | 'highCpuPercent'
  | 'metadataRequestsPerCpu'
  | 'defaultStrategy'
  | 'cpuCount'
  | 'servingThreads'
  | 'clusterMetrics'
>;

/** The default of the flag. If requests to the store are free, the default window is not applied. */
const usualWindowMs = 250;
/**
 * Page cache per core. Where reads cost money and time, a page should still be cached when the slowest partition of a
 * consumer reaches it, and the partitions of one consumer are up to half a gigabyte apart. Reading a local file again
 * is free.
 */
const billedPageCacheBytesPerCpu = 384 * MiB;
const freePageCacheBytesPerCpu = 32 * MiB;
/**
 * For a bucket in memory, over all cores: most of its pages are in memory anyway, and the rest is in the page cache of
 * the operating system.
 */
const memoryPageCacheBytesMax = 64 * MiB;
/** The share of the machine's memory that all pages together may take; it matters for small machines or many cores. */
const pageCachePartOfMemory = 1 / 4;
/** Batches that wait for their upload, per core. */
const bufferedBytesPerCpu = 64 * MiB;
/** One file is uploaded while the next one fills, however large -batchMaxSizeBytes makes them. */
const bufferedFiles = 2;

/** The resources of an agent: the whole machine, or its share if several agents run on the machine. */
export interface Machine {
  readonly cpuCount: number;
  readonly memoryBytes: number;
}

/** The settings of background jobs that come from flags. */
export function jobSettings(
  values: BrokerValues,
  additionalStores: readonly ObjectStore[],
  bucket: NonNullable<JobSettings['mergeBucket']>,
): JobSettings {
  return {
    // Other threads do not see a bucket in memory.
    mergeBucket: bucketUrlsOf(bucket.bucketUrl).some(isInMemory) ? undefined : bucket,
    slotsPerCpu: values.jobsRunnerSlotsAmplification,
    categories: 'jobSelector' in values ? values.jobSelector : undefined,
    deletesFiles: !values.disableFileDeletion,
    additionalStores,
  };
}

const isInMemory = (url: string) => url.startsWith('mem:');

/** A container may have less memory than its machine. */
function thisMachine(): Machine {
  const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return { cpuCount: availableParallelism(), memoryBytes };
}

export function agentSettings(
  values: BrokerValues,
  bucketUrl: string,
  cpuCountOfPart?: number,
  machine: Machine = thisMachine(),
): AgentSettings {
  const cpuCount = cpuCountOfPart ?? machine.cpuCount;
  const memoryBytes = machine.memoryBytes * Math.min(1, cpuCount / machine.cpuCount);
  const isBilledPerRequest = bucketUrlsOf(bucketUrl).some((url) => !/^(?:mem|file|sqlite):/.test(url));
  const windowMs = values.batchTimeout;
  const hasRipcord = 'enableRipcord' in values && values.enableRipcord;
  const leavesMetricsToOthers = 'disablePublishMetricsJob' in values && values.disablePublishMetricsJob;
  return {
    flush: {
      windowMs: isBilledPerRequest || windowMs !== usualWindowMs ? windowMs : 0,
      ...resolveFlushSizes(values),
    },
    // A second upload to a database would meet the same server.
    hedgesUploads: isBilledPerRequest && !/^postgres(?:ql)?:/.test(bucketUrl),
    usesFileIdRanges: 'useRangeFileIDAllocator' in values && values.useRangeFileIDAllocator,
    hasRipcord,
    recordBytesMax: values.maxProduceRecordSizeBytes,
    impersonation: {
      authorHeader: values.injectPrincipalHeader,
      impersonators: values.impersonatorPrincipals,
      impersonationHeader: values.impersonationHeader,
    },
    logsAclDenials: values.enableACLLogs,
    answersQueries: !values.disableQueryEngine,
    logIntakeDefaultTopic: values.logIntakeDefaultTopic,
    sasl: saslSettings(values),
    fetchRequestBytesMax: values.kafkaMaxFetchRequestBytesUncompressedOverride,
    fetchPartitionBytesMax: values.kafkaMaxFetchPartitionBytesUncompressedOverride,
    fetchesSingleBatch: values.fetchSingleKafkaBatch,
    hidesOutOfRange: 'disableOutOfRangeOrbit' in values && values.disableOutOfRangeOrbit,
    countsPerTopic: values.kafkaHighCardinalityDistributionMetrics,
    // With ripcord, clients get the topics that the agent knows, whether there is a leader or not.
    metadataAsksLeader: !values.enableMetadataTopicsCache && !hasRipcord,
    pageCacheBytesMax: Math.floor(
      Math.min(
        (isBilledPerRequest ? billedPageCacheBytesPerCpu : freePageCacheBytesPerCpu) * cpuCount,
        memoryBytes * pageCachePartOfMemory,
        bucketUrlsOf(bucketUrl).every(isInMemory) ? memoryPageCacheBytesMax : 4 * GiB,
      ),
    ),
    readahead: values.enablePrefetchingForSinglePartitionWorkloads,
    bufferedBytesMax: Math.min(
      Math.max(bufferedBytesPerCpu * cpuCount, bufferedFiles * (values.batchMaxSizeBytes ?? 0)),
      GiB,
    ),
    idleConnectionMs: values.kafkaCloseIdleConnAfter,
    highCpuPercent: values.highCPUBackpressureThresholdPercent,
    metadataRequestsPerCpu: values.maxConcurrentMetadataRequestsPerCPU,
    defaultStrategy: values.defaultPartitionAssignmentStrategy,
    cpuCount,
    servingThreads: servingThreadCount(values, cpuCount),
    clusterMetrics: leavesMetricsToOthers ? undefined : clusterMetricsSettings(values),
  };
}
