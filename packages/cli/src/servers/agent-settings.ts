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
  | 'bufferedBytesMax'
  | 'idleConnectionMs'
  | 'defaultStrategy'
  | 'cpuCount'
>;

/** The default of the flag; a window that was not asked for is left out where requests to the store cost nothing. */
const usualWindowMs = 250;
/** Of the memory that an agent may have per core, what it keeps of files to read, and of batches to write. */
const pageCacheBytesPerCpu = 128 * MiB;
const bufferedBytesPerCpu = 64 * MiB;

export function agentSettings(values: BrokerValues, bucketUrl: string): AgentSettings {
  const { uncompressedBytesMax, compressedBytesMax } = resolveFlushSizes(values);
  const cpuCount = availableParallelism();
  const isBilledPerRequest = !/^(?:mem|file):/.test(bucketUrl);
  const windowMs = values.batchTimeout;
  return {
    flush: {
      windowMs: isBilledPerRequest || windowMs !== usualWindowMs ? windowMs : 0,
      uncompressedBytesMax,
      compressedBytesMax,
    },
    recordBytesMax: values.maxProduceRecordSizeBytes,
    fetchRequestBytesMax: values.kafkaMaxFetchRequestBytesUncompressedOverride,
    fetchPartitionBytesMax: values.kafkaMaxFetchPartitionBytesUncompressedOverride,
    pageCacheBytesMax: Math.min(pageCacheBytesPerCpu * cpuCount, 4 * GiB),
    bufferedBytesMax: Math.min(bufferedBytesPerCpu * cpuCount, GiB),
    idleConnectionMs: values.kafkaCloseIdleConnAfter,
    defaultStrategy: values.defaultPartitionAssignmentStrategy,
    cpuCount,
  };
}
