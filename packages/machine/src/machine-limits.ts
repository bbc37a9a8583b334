import { clusterLimits } from '@weir/cluster/limits';
import { coreLimits } from '@weir/core';

/** The limits that the machine decides by. They bind what is decided from now on; what entries say is never refused. */
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

/** Tests have smaller ones. */
export const defaultLimits: MachineLimits = { ...coreLimits, ...clusterLimits };
