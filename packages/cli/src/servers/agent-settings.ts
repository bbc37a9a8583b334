import { availableParallelism, totalmem } from 'node:os';
import type { AgentOptions } from '@weir/agent';
import { GiB, MiB } from '@weir/core';
import type { CommandValues } from '../flags/catalogue.ts';
import { resolveFlushSizes } from '../rules/flush-size.ts';
import { clusterMetricsSettings } from './metrics-settings.ts';
import { saslSettings } from './security-settings.ts';

type BrokerValues = CommandValues<'local'> | CommandValues<'playground'> | CommandValues<'agent'>;

/** What flags say about the data path of an agent. */
type AgentSettings = Pick<
  AgentOptions,
  | 'flush'
  | 'recordBytesMax'
  | 'impersonation'
  | 'sasl'
  | 'logsAclDenials'
  | 'answersQueries'
  | 'fetchRequestBytesMax'
  | 'fetchPartitionBytesMax'
  | 'pageCacheBytesMax'
  | 'readahead'
  | 'bufferedBytesMax'
  | 'idleConnectionMs'
  | 'highCpuPercent'
  | 'metadataRequestsPerCpu'
  | 'defaultStrategy'
  | 'cpuCount'
  | 'clusterMetrics'
>;

/** The default of the flag; a window that was not asked for is left out where requests to the store cost nothing. */
const usualWindowMs = 250;
/**
 * What an agent keeps of files to read, per core. Where reading costs money and time, a page should still be here when the slowest
 * partition of a consumer comes to it, and partitions of one consumer run half a gigabyte apart. A file that lies on this machine is read
 * again for nothing.
 */
const billedPageCacheBytesPerCpu = 384 * MiB;
const freePageCacheBytesPerCpu = 96 * MiB;
/** Of a bucket in memory, on all cores together: most pages of it are in memory anyway, and the rest the system has. */
const memoryPageCacheBytesMax = 64 * MiB;
/** The part of the machine's memory that all pages together may take: of small machines, or many cores. */
const pageCachePartOfMemory = 1 / 4;
/** Batches that wait to be written, per core. */
const bufferedBytesPerCpu = 64 * MiB;

/** What an agent may use: all of the machine, or one part of it when it shares the machine with others of its kind. */
export interface Machine {
  readonly cpuCount: number;
  readonly memoryBytes: number;
}

/** A container may have less than the machine that it runs on. */
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
  const isBilledPerRequest = !/^(?:mem|file):/.test(bucketUrl);
  const windowMs = values.batchTimeout;
  const leavesMetricsToOthers = 'disablePublishMetricsJob' in values && values.disablePublishMetricsJob;
  return {
    flush: {
      windowMs: isBilledPerRequest || windowMs !== usualWindowMs ? windowMs : 0,
      ...resolveFlushSizes(values),
    },
    recordBytesMax: values.maxProduceRecordSizeBytes,
    impersonation: {
      authorHeader: values.injectPrincipalHeader,
      impersonators: values.impersonatorPrincipals,
      impersonationHeader: values.impersonationHeader,
    },
    logsAclDenials: values.enableACLLogs,
    answersQueries: !values.disableQueryEngine,
    sasl: saslSettings(values),
    fetchRequestBytesMax: values.kafkaMaxFetchRequestBytesUncompressedOverride,
    fetchPartitionBytesMax: values.kafkaMaxFetchPartitionBytesUncompressedOverride,
    pageCacheBytesMax: Math.floor(
      Math.min(
        (isBilledPerRequest ? billedPageCacheBytesPerCpu : freePageCacheBytesPerCpu) * cpuCount,
        memoryBytes * pageCachePartOfMemory,
        bucketUrl.startsWith('mem:') ? memoryPageCacheBytesMax : 4 * GiB,
      ),
    ),
    readahead: values.enablePrefetchingForSinglePartitionWorkloads,
    bufferedBytesMax: Math.min(bufferedBytesPerCpu * cpuCount, GiB),
    idleConnectionMs: values.kafkaCloseIdleConnAfter,
    highCpuPercent: values.highCPUBackpressureThresholdPercent,
    metadataRequestsPerCpu: values.maxConcurrentMetadataRequestsPerCPU,
    defaultStrategy: values.defaultPartitionAssignmentStrategy,
    cpuCount,
    clusterMetrics: leavesMetricsToOthers ? undefined : clusterMetricsSettings(values),
  };
}
