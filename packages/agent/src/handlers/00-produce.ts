import type { TopicDescription } from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import { internalTopicProblem, isInternalTopic, type Metrics } from '@weir/core';
import {
  type Apis,
  type ErrorName,
  errors,
  headerBytes,
  RecordBatchView,
  type RecordError,
  type RequestOf,
  type ResponseOf,
} from '@weir/wire';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { mayProduce } from '../placement/roles.ts';
import type { HandlerOf, RequestContext } from '../requests/handler.ts';
import type { Answer, HandlerResult } from '../requests/handler-result.ts';
import { repeatedOf } from '../requests/repeated.ts';
import {
  aside,
  type BatchPlace,
  type CheckedBatch,
  type CheckOptions,
  checkBatch,
  checkBatchOffThread,
} from '../write-path/check-batch.ts';
import { ClientInflation } from '../write-path/client-inflation.ts';
import type { Impersonation } from '../write-path/impersonation/impersonation.ts';
import { InflationBudget } from '../write-path/inflation-budget.ts';
import type { AppendResult, BatchTransaction, ProducedBatch } from '../write-path/produced-batch.ts';
import { createTopicRulesReader } from '../write-path/topic-rules.ts';
import { produceOutcomes } from '../write-path/write-metrics.ts';
import type { WritePath } from '../write-path/write-path.ts';

type ProduceApi = Apis['Produce'];
type ProduceResponse = ProduceApi['response']['fields'];
type PartitionResponse = ResponseOf<ProduceApi>['responses'][number]['partitionResponses'][number];

export interface ProduceOptions {
  /** The roles of this agent. */
  readonly roles: readonly string[];
  readonly writePath: WritePath;
  /** The limit on one record where neither topic nor cluster sets one. */
  readonly recordBytesMax: number;
  /** Who the principals of records are; without it that is whoever sends them, and nobody is told. */
  readonly impersonation?: Impersonation | undefined;
  /** Told how long each client waits for its write, except of those that do not. */
  readonly onRequest?: (clientId: string | null, timeoutMs: number) => void;
  /** The configs of the cluster as this agent has them. Without it, they are those of the cluster. */
  readonly ownConfigs?: (cluster: ClusterView) => Readonly<Record<string, string>>;
  /** Shared by all APIs that inflate for clients. */
  readonly inflation?: ClientInflation;
  /** Lets others have their turn; a test looks how often that is. */
  readonly pause?: () => Promise<void>;
  /** Told how many bytes were inflated, before others had their turn or aside. */
  readonly metrics: Metrics;
  readonly onInflated?: (bytes: number, where: 'atOnce' | 'aside') => void;
}

/** A batch that inflates to more than may be done at once, and where its answer goes. */
interface DeferredBatch {
  readonly records: Buffer | null;
  readonly place: BatchPlace;
  readonly options: CheckOptions;
  readonly into: PartitionResponse[];
  readonly at: number;
}

/** Answers that do not depend on the write, and the places of those that do. */
interface Draft {
  readonly responses: { name: string; topicId: string; partitionResponses: PartitionResponse[] }[];
  readonly batches: ProducedBatch[];
  /** For each batch, where its answer goes. */
  readonly places: {
    readonly into: PartitionResponse[];
    readonly at: number;
    readonly logAppendTimeMs: number;
  }[];
  readonly deferredBatches: DeferredBatch[];
  /** Whether there is a batch of a transaction that the request does not name. */
  isUnnamed: boolean;
}

const zstdFromVersion = 7;
const topicIdsFromVersion = 13;
const storageErrorFromVersion = 4;
const abortableFromVersion = 11;
const addsPartitionsFromVersion = 12;
/** With acks 1 the time in the request means nothing, for it is about replicas. */
const usualTimeoutMs = 30_000;
/** In less time no store has written anything. Apache Kafka, which writes at once, succeeds with any time when there is one replica. */
const timeoutMsMin = 1_000;

/**
 * Produce, v3 to v13. Every partition is judged by itself; what passes is written as one: all or, when the store fails,
 * nothing. The call to `append` happens before anything is awaited, so that requests of one connection keep their order. Only batches that inflate
 * to much are waited for, and then the later requests of the connection are, too.
 *
 * What the batches of a request inflate to together is limited, where rules have to be checked inside of them: beyond it they are
 * MESSAGE_TOO_LARGE. A connection that inflates much more than it sends is slowed down. A partition that is there twice is INVALID_REQUEST each time, so that a request inflates each
 * partition once.
 *
 * acks 1 waits as long as acks -1 does, because there is nothing between received and durable. acks 0 waits too, to
 * know whether the connection must be closed.
 *
 * Batches of transactions need a transactional id in the request, without which nothing of it is written. From v12 on their
 * partitions join the transaction by themselves. One that is not part of an open transaction is TRANSACTION_ABORTABLE from v11 on
 * and INVALID_TXN_STATE before. A producer that was fenced hears INVALID_PRODUCER_EPOCH in every version.
 *
 * It takes WRITE on each topic: the partitions of one that is denied are TOPIC_AUTHORIZATION_FAILED, and the others are written. Batches of
 * transactions take WRITE on the transactional id, without which nothing of the request is written. Of a client that writes for others, it is
 * they who need WRITE on the topic, and one record without it fails its partition. Topics of the service are INVALID_TOPIC_EXCEPTION, as internal
 * ones are in Apache Kafka.
 *
 * An agent without a role to produce answers NOT_LEADER_OR_FOLLOWER, so that clients refresh their metadata and find the agents that do. With
 * acks 0 there is no response, so the connection is closed.
 */
export function produceHandler(options: ProduceOptions): HandlerOf<ProduceApi> {
  const rulesOf = createTopicRulesReader(options.recordBytesMax);
  const inflation = options.inflation ?? new ClientInflation();
  /** For each connection that has batches inflated aside: when the last of its requests so far has begun to be written. */
  const begun = new WeakMap<AbortSignal, Promise<void>>();

  const succeeded = options.metrics.series(produceOutcomes, { outcome: 'success' });
  const failed = options.metrics.series(produceOutcomes, { outcome: 'error' });

  return (request, context) => {
    if (!mayProduce(options.roles)) return request.acks === 0 ? 'close' : notLeader(request);
    const answer = produce(request, context);
    return answer instanceof Promise ? answer.then(counted) : counted(answer);
  };

  function counted(answer: Answer<ProduceResponse>): Answer<ProduceResponse> {
    (isSuccess(answer) ? succeeded : failed).add(1);
    return answer;
  }

  function produce(request: RequestOf<ProduceApi>, context: RequestContext): HandlerResult<ProduceResponse> {
    if (request.acks !== 0) options.onRequest?.(context.clientId, request.timeoutMs);
    const draft = mayUseTransaction(request, context) ? judge(request, context) : refusedDraft(request);
    const answer = (throttleTimeMs: number) => {
      if (request.acks !== 0) return { responses: draft.responses, throttleTimeMs };
      const hasFailed = draft.responses.some(({ partitionResponses }) =>
        partitionResponses.some(({ errorCode }) => errorCode !== errors.NONE.code),
      );
      return hasFailed ? 'close' : 'noReply';
    };
    if (draft.batches.length === 0 && draft.deferredBatches.length === 0) return answer(0);
    const before = begun.get(context.closed);
    const pause =
      options.pause ?? (() => new Promise<void>((resolve) => void context.clock.after(0, resolve)));
    if (draft.deferredBatches.length === 0 && before === undefined) return write();
    const { promise: ready, resolve: begin } = Promise.withResolvers<void>();
    begun.set(context.closed, ready);
    return inflateInTurn().then(() => {
      try {
        // Nothing of the request was written yet, and nobody waits for it any more.
        if (hasLeft()) return 'close';
        return draft.batches.length === 0 ? answer(0) : write();
      } finally {
        begin();
        if (begun.get(context.closed) === ready) begun.delete(context.closed);
      }
    });

    /** A client that wants no answer may close its connection as soon as everything is sent. */
    function hasLeft(): boolean {
      return request.acks !== 0 && context.left.aborted;
    }

    /** One batch after the other, behind those of earlier requests. Nothing of it throws: bad bytes are an answer. */
    async function inflateInTurn(): Promise<void> {
      await before;
      const connection = inflation.of(context);
      for (const { records, place, options: rules, into, at } of draft.deferredBatches) {
        const checked = await connection.run(async () =>
          hasLeft() ? undefined : checkBatchOffThread(records, place, rules, pause),
        );
        if (checked === undefined) return;
        settle(draft, checked, into, at);
      }
    }

    function write() {
      const deadlineMs = context.clock.monotonicMs() + timeoutMs(request);
      // A client that wants no answer may close its connection as soon as everything is sent.
      const left = request.acks === 0 ? undefined : context.left;
      return options.writePath
        .append(draft.batches, { deadlineMs, left, receivedMs: context.receivedMs })
        .then(({ results, throttleTimeMs }) => {
          for (const [index, { into, at, logAppendTimeMs }] of draft.places.entries()) {
            const isTransactional = draft.batches[index]!.transaction !== undefined;
            const error = errorFor(results[index]!.error, isTransactional, context.apiVersion);
            into[at] = written(into[at]!.index, error, results[index]!, logAppendTimeMs);
          }
          return answer(throttleTimeMs);
        });
    }
  }

  function judge(request: RequestOf<ProduceApi>, context: RequestContext): Draft {
    const { access, cluster, apiVersion } = context;
    const principals = options.impersonation?.of(context.access);
    const draft: Draft = { responses: [], batches: [], places: [], deferredBatches: [], isUnnamed: false };
    const repeated = repeatedPartitions(request, apiVersion);
    const budget = new InflationBudget({
      requestBytes: recordsBytesOf(request),
      turn: inflation.turn,
      connection: inflation.of(context),
      later: (run) => void context.clock.after(0, run),
      onInflated: options.onInflated,
    });
    const transaction = transactionOf(request, apiVersion);
    const nowMs = context.clock.nowMs();
    const configs = options.ownConfigs?.(cluster) ?? cluster.clusterConfigs();
    const hasValidAcks = request.acks === -1 || request.acks === 0 || request.acks === 1;
    for (const { name, topicId, partitionData } of request.topicData) {
      const topic =
        apiVersion >= topicIdsFromVersion ? cluster.topicById(topicId) : cluster.topicByName(name);
      const principalsOfTopic = topic && principals?.onTopic(topic.name);
      // Where records may have principals of their own, it is them who are asked about.
      const isAsked = principals?.mayDiffer !== true && !isUnknownId(topic, apiVersion);
      const isDenied = isAsked && !access.may('WRITE', 'TOPIC', topic?.name ?? name);
      const partitionResponses: PartitionResponse[] = [];
      draft.responses.push({ name, topicId, partitionResponses });
      for (const { index, records } of partitionData) {
        if (isDenied) {
          partitionResponses.push(refused(index, 'TOPIC_AUTHORIZATION_FAILED'));
        } else if (!hasValidAcks) {
          partitionResponses.push(refused(index, 'INVALID_REQUIRED_ACKS'));
        } else if (repeated.has(keyOf(apiVersion >= topicIdsFromVersion ? topicId : name, index))) {
          const problem = 'the request has records for the partition more than once';
          partitionResponses.push(refused(index, 'INVALID_REQUEST', problem));
        } else if (topic === undefined) {
          const error = isUnknownId(topic, apiVersion) ? 'UNKNOWN_TOPIC_ID' : 'UNKNOWN_TOPIC_OR_PARTITION';
          partitionResponses.push(refused(index, error));
        } else if (isInternalTopic(topic.name)) {
          const problem = internalTopicProblem(topic.name);
          partitionResponses.push(refused(index, 'INVALID_TOPIC_EXCEPTION', problem));
        } else if (cluster.ends(topic.topicId, index) === undefined) {
          partitionResponses.push(refused(index, 'UNKNOWN_TOPIC_OR_PARTITION'));
        } else {
          const place = { topicId: topic.topicId, partition: index };
          const checkOptions: CheckOptions = {
            rules: rulesOf(topic, configs),
            budget,
            allowsZstd: apiVersion >= zstdFromVersion,
            nowMs,
            transaction,
            principals: principalsOfTopic,
          };
          const checked = checkBatch(records, place, checkOptions);
          const at = partitionResponses.length;
          partitionResponses.push(refused(index, 'NONE'));
          if (checked === aside) {
            draft.deferredBatches.push({
              records,
              place,
              options: checkOptions,
              into: partitionResponses,
              at,
            });
          } else {
            settle(draft, checked, partitionResponses, at);
          }
        }
      }
    }
    return draft.isUnnamed ? refusedDraft(request) : draft;
  }
}

/** A request without a response has failed if it closes the connection. */
function isSuccess(answer: Answer<ProduceResponse>): boolean {
  if (typeof answer === 'string') return answer === 'noReply';
  return answer.responses.every(({ partitionResponses }) =>
    partitionResponses.every(({ errorCode }) => errorCode === errors.NONE.code),
  );
}

function notLeader({ topicData }: RequestOf<ProduceApi>): ResponseOf<ProduceApi> {
  return {
    responses: topicData.map(({ name, topicId, partitionData }) => ({
      name,
      topicId,
      partitionResponses: partitionData.map(({ index }) => ({
        index,
        errorCode: errors.NOT_LEADER_OR_FOLLOWER.code,
        baseOffset: -1n,
      })),
    })),
  };
}

/** Puts what became of a batch into the answer. */
function settle(draft: Draft, checked: CheckedBatch, into: PartitionResponse[], at: number): void {
  if (checked.ok) {
    draft.batches.push(checked.batch);
    draft.places.push({ into, at, logAppendTimeMs: checked.logAppendTimeMs });
    return;
  }
  if (checked.error === unnamedTransaction) draft.isUnnamed = true;
  into[at] = refused(into[at]!.index, checked.error, checked.message, checked.recordErrors);
}

/** Partitions that are there more than once, in the same topic or because the topic is. */
function repeatedPartitions({ topicData }: RequestOf<ProduceApi>, apiVersion: number): ReadonlySet<string> {
  if (topicData.length === 1 && topicData[0]!.partitionData.length === 1) return none;
  return repeatedOf(
    topicData.flatMap(({ name, topicId, partitionData }) =>
      partitionData.map(({ index }) => keyOf(apiVersion >= topicIdsFromVersion ? topicId : name, index)),
    ),
  );
}

const none: ReadonlySet<string> = new Set();

function keyOf(topic: string, index: number): string {
  return `${index} ${topic}`;
}

function recordsBytesOf({ topicData }: RequestOf<ProduceApi>): number {
  let bytes = 0;
  for (const { partitionData } of topicData) {
    for (const { records } of partitionData) bytes += records?.length ?? 0;
  }
  return bytes;
}

/** Rules know names only, so that nobody can be denied an id which has none. */
function isUnknownId(topic: TopicDescription | undefined, apiVersion: number): boolean {
  return topic === undefined && apiVersion >= topicIdsFromVersion;
}

/** Asked only when a batch says that it is of a transaction; a request that names one and has no such batch is like any other. */
function mayUseTransaction(request: RequestOf<ProduceApi>, { access }: RequestContext): boolean {
  const { transactionalId, topicData } = request;
  if (transactionalId === null) return true;
  const isTransactional = topicData.some(({ partitionData }) =>
    partitionData.some(({ records }) => saysTransactional(records)),
  );
  return !isTransactional || access.may('WRITE', 'TRANSACTIONAL_ID', transactionalId);
}

/** Before anything of the batch is checked. */
function saysTransactional(records: Buffer | null): boolean {
  if (records === null || records.length < headerBytes) return false;
  return new RecordBatchView(records).isTransactional;
}

/** What Kafka says of it, for the right to use a transactional id is what such a request cannot show. */
const unnamedTransaction = 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED' satisfies ErrorName;

function refusedDraft({ topicData }: RequestOf<ProduceApi>): Draft {
  const responses = topicData.map(({ name, topicId, partitionData }) => ({
    name,
    topicId,
    partitionResponses: partitionData.map(({ index }) => refused(index, unnamedTransaction)),
  }));
  return { responses, batches: [], places: [], deferredBatches: [], isUnnamed: true };
}

function transactionOf(
  { transactionalId }: RequestOf<ProduceApi>,
  apiVersion: number,
): BatchTransaction | undefined {
  if (transactionalId === null) return undefined;
  return {
    // One that is too long was never given to anybody. Cut off it is as unknown, and no burden to the commit.
    transactionalId: transactionalId.slice(0, clusterLimits.transactionalIdCharsMax + 1),
    addsPartition: apiVersion >= addsPartitionsFromVersion,
  };
}

function timeoutMs({ acks, timeoutMs }: RequestOf<ProduceApi>): number {
  return acks === -1 ? Math.max(timeoutMs, timeoutMsMin) : usualTimeoutMs;
}

function refused(
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

function written(
  index: number,
  error: ErrorName,
  { baseOffset, logStartOffset }: AppendResult,
  logAppendTimeMs: number,
): PartitionResponse {
  if (error !== 'NONE') return refused(index, error);
  return {
    index,
    errorCode: errors.NONE.code,
    baseOffset: BigInt(baseOffset),
    logAppendTimeMs: BigInt(logAppendTimeMs),
    logStartOffset: BigInt(logStartOffset),
  };
}

/** Clients of old versions hear an error that they know and that makes them do the same. */
function errorFor(error: ErrorName, isTransactional: boolean, apiVersion: number): ErrorName {
  if (error === 'NONE') return error;
  if (error === 'INVALID_TXN_STATE' && isTransactional && apiVersion >= abortableFromVersion)
    return 'TRANSACTION_ABORTABLE';
  if (error === 'KAFKA_STORAGE_ERROR' && apiVersion < storageErrorFromVersion)
    return 'NOT_LEADER_OR_FOLLOWER';
  if (error === 'UNKNOWN_TOPIC_ID' && apiVersion < topicIdsFromVersion) return 'UNKNOWN_TOPIC_OR_PARTITION';
  return error;
}
