import {
  type Apis,
  type ErrorName,
  errors,
  type RecordError,
  type RequestOf,
  type ResponseOf,
} from '@weir/wire';
import { mappedInTurns, type TurnCount, type WorkInTurns } from '../requests/turns.ts';
import type { AppendResult } from '../write-path/produced-batch.ts';

type ProduceApi = Apis['Produce'];
export type ProduceRequest = RequestOf<ProduceApi>;
export type PartitionResponse = ResponseOf<ProduceApi>['responses'][number]['partitionResponses'][number];

export interface TopicResponse {
  readonly name: string;
  readonly topicId: string;
  readonly partitionResponses: PartitionResponse[];
}

export const topicIdsFromVersion = 13;
const storageErrorFromVersion = 4;
const abortableFromVersion = 11;

/** The response for a partition that is not written. */
export function refused(
  index: number,
  error: ErrorName,
  message: string | null = null,
  recordErrors: readonly RecordError[] = [],
): PartitionResponse {
  return {
    index,
    errorCode: errors[error].code,
    baseOffset: -1n,
    errorMessage: message,
    recordErrors: recordErrors.map((one) => ({
      batchIndex: one.batchIndex,
      batchIndexErrorMessage: one.message,
    })),
  };
}

/** The response for a partition that the write path has answered. */
export function written(
  index: number,
  error: ErrorName,
  { baseOffset, logStartOffset, message }: AppendResult,
  logAppendTimeMs: number,
): PartitionResponse {
  if (error !== 'NONE') return refused(index, error, message ?? null);
  return {
    index,
    errorCode: errors.NONE.code,
    baseOffset: BigInt(baseOffset),
    logAppendTimeMs: BigInt(logAppendTimeMs),
    logStartOffset: BigInt(logStartOffset),
  };
}

/** Maps an error to one that old clients know and handle the same way. */
export function errorFor(error: ErrorName, isTransactional: boolean, apiVersion: number): ErrorName {
  if (error === 'NONE') return error;
  if (error === 'INVALID_TXN_STATE' && isTransactional && apiVersion >= abortableFromVersion)
    return 'TRANSACTION_ABORTABLE';
  if (error === 'KAFKA_STORAGE_ERROR' && apiVersion < storageErrorFromVersion)
    return 'NOT_LEADER_OR_FOLLOWER';
  if (error === 'UNKNOWN_TOPIC_ID' && apiVersion < topicIdsFromVersion) return 'UNKNOWN_TOPIC_OR_PARTITION';
  return error;
}

/** The same response for every partition. */
export function* failedResponses(
  { topicData }: ProduceRequest,
  turns: TurnCount,
  responseOf: (index: number) => PartitionResponse,
): WorkInTurns<TopicResponse[]> {
  const responses: TopicResponse[] = [];
  for (const { name, topicId, partitionData } of topicData) {
    if (turns.ends()) yield;
    const partitionResponses = yield* mappedInTurns(partitionData, turns, ({ index }) => responseOf(index));
    responses.push({ name, topicId, partitionResponses });
  }
  return responses;
}
