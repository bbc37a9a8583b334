import { availableParallelism } from 'node:os';
import type { AgentOptions } from '@weir/agent';
import { GiB, MiB } from '@weir/core';
import type { CommandValues } from '../flags/catalogue.ts';
import { resolveFlushSizes } from '../rules/flush-size.ts';

type BrokerValues = CommandValues<'local'> | CommandValues<'playground'> | CommandValues<'agent'>;

/** What flags say about the data path of an agent. */
export type AgentSettings = Pick<
  AgentOptions,
  | 'flush'
  | 'recordBytesMax'
  | 'fetchRequestBytesMax'
  | 'fetchPartitionBytesMax'
  | 'pageCacheBytesMax'
  | 'readsOn'
  | 'bufferedBytesMax'
  | 'idleConnectionMs'
  | 'highCpuPercent'
  | 'metadataRequestsPerCpu'
  | 'defaultStrategy'
  | 'cpuCount'
>;

/** The default of the flag; a window that was not asked for is left out where requests to the store cost nothing. */
const usualWindowMs = 250;
/** Of the memory that an agent may have per core, what it keeps of files to read, and of batches to write. */
const pageCacheBytesPerCpu = 128 * MiB;
const bufferedBytesPerCpu = 64 * MiB;

/** `cpuCount` is what the agent may use: all of the machine, or one when it shares the machine with others of its kind. */
export function agentSettings(
  values: BrokerValues,
  bucketUrl: string,
  cpuCount: number = availableParallelism(),
): AgentSettings {
  const isBilledPerRequest = !/^(?:mem|file):/.test(bucketUrl);
  const windowMs = values.batchTimeout;
  return {
    flush: {
      windowMs: isBilledPerRequest || windowMs !== usualWindowMs ? windowMs : 0,
      ...resolveFlushSizes(values),
    },
    recordBytesMax: values.maxProduceRecordSizeBytes,
    fetchRequestBytesMax: values.kafkaMaxFetchRequestBytesUncompressedOverride,
    fetchPartitionBytesMax: values.kafkaMaxFetchPartitionBytesUncompressedOverride,
    pageCacheBytesMax: Math.min(pageCacheBytesPerCpu * cpuCount, 4 * GiB),
    readsOn: values.enablePrefetchingForSinglePartitionWorkloads,
    bufferedBytesMax: Math.min(bufferedBytesPerCpu * cpuCount, GiB),
    idleConnectionMs: values.kafkaCloseIdleConnAfter,
    highCpuPercent: values.highCPUBackpressureThresholdPercent,
    metadataRequestsPerCpu: values.maxConcurrentMetadataRequestsPerCPU,
    defaultStrategy: values.defaultPartitionAssignmentStrategy,
    cpuCount,
  };
}
