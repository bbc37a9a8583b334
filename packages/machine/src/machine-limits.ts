import { clusterLimits } from '@weir/cluster/limits';
import { coreLimits } from '@weir/core';
import { machineLimits } from './limits.ts';

/** Limits that apply when the machine decides commands. Applying entries ignores them (M6). */
export type MachineLimits = {
  readonly [Limit in
    | 'partitionsPerTopicMax'
    | 'partitionsPerClusterMax'
    | 'partitionsHeldMax'
    | 'producerStatesMax'
    | 'producerStateMsMax'
    | 'producerIdsPerCallMax'
    | 'recentFilesMax'
    | 'recentFileReplyBytesMax'
    | 'recentFileMsMax'
    | 'fileCommitMsMax'
    | 'fileIdsPerCallMax'
    | 'clonesMax'
    | 'clonePointersMax'
    | 'pointersHeldMax'
    | 'compactionMsMax'
    | 'compactionFanIn'
    | 'compactedFileBytesMax'
    | 'compactionPointersMax'
    | 'compactionJobsPerPlanMax'
    | 'compactionRowsPerStep'
    | 'compactionYoungMs'
    | 'compactionWaitMs'
    | 'recentRequestsMax'
    | 'recentRequestReplyBytesMax'
    | 'recentRequestMsMax'
    | 'requestIdCharsMax'
    | 'recordsMax'
    | 'recordBytesMax'
    | 'kvValueBytesMax'
    | 'committedOffsetsMax'
    | 'offsetTextCharsMax'
    | 'pointersPerAnswerMax'
    | 'transactionalIdsMax'
    | 'transactionalIdCharsMax'
    | 'transactionalIdMsMax'
    | 'transactionTimeoutMsMax'
    | 'transactionBytesMax'
    | 'expiredTransactionsPerCallMax'
    | 'brokerConfigsMax'
    | 'groupConfigsMax'
    | 'clientMetricsMax'
    | 'clientQuotasMax'
    | 'scramCredentialsMax'
    | 'aclsMax'
    | 'aclBytesMax'
    | 'aclScansPerCallMax'
    | 'aclsDeletedPerCallMax'
    | 'credentialsMax'
    | 'principalNameCharsMax'
    | 'nodeIdMax'
    | 'retentionPartitionsPerCallMax'
    | 'retentionPointersPerCallMax']: number;
};

/** Tests use smaller ones. */
export const defaultLimits: MachineLimits = { ...coreLimits, ...clusterLimits, ...machineLimits };
