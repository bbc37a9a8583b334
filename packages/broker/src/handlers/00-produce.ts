import type { TopicDescription } from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import { internalTopicProblem, isInternalTopic, type Metrics } from '@weir/core';
import type { PayloadWork } from '@weir/registry/decoding';
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
import { ClientInflation, type ConnectionInflation } from '../inflation/client-inflation.ts';
import { InflationBudget } from '../inflation/inflation-budget.ts';
import { mayProduce } from '../placement/roles.ts';
import type { HandlerOf, RequestContext } from '../requests/handler.ts';
import type { Answer, HandlerResult } from '../requests/handler-result.ts';
import { repeatedOf } from '../requests/repeated.ts';
import type { BatchSchemaCheck } from '../schema-validation/batch-schema-check.ts';
import type { SchemaValidation } from '../schema-validation/schema-validation.ts';
import type { TopicDistribution } from '../telemetry/topic-distributions.ts';
import {
  type BatchPlace,
  type CheckedBatch,
  type CheckOptions,
  checkBatch,
  checkBatchOffThread,
  offThread,
  schemasNeeded,
} from '../write-path/check-batch.ts';
import type { Impersonation } from '../write-path/impersonation/impersonation.ts';
import type { AppendResult, BatchTransaction, ProducedBatch } from '../write-path/produced-batch.ts';
import { createTopicRulesReader } from '../write-path/topic-rules.ts';
import { produceOutcomes } from '../write-path/write-metrics.ts';
import type { WritePath } from '../write-path/write-path.ts';

type ProduceApi = Apis['Produce'];
type ProduceResponse = ProduceApi['response']['fields'];
type PartitionResponse = ResponseOf<ProduceApi>['responses'][number]['partitionResponses'][number];

export interface ProduceOptions {
  readonly roles: readonly string[];
  readonly writePath: WritePath;
  /** Limit on the size of a record if neither topic nor cluster sets one. */
  readonly recordBytesMax: number;
  /** Impersonation settings. If absent, the sender is the author and no principal header is added. */
  readonly impersonation?: Impersonation | undefined;
  /** Validation of records by their schemas. If absent, topics that demand it take no records. */
  readonly schemaValidation?: SchemaValidation | undefined;
  /** Called with the timeout of each request, except those with acks 0. */
  readonly onRequest?: (clientId: string | null, timeoutMs: number) => void;
  /** Called with the time from the receipt of a request until its batches were written or refused. */
  readonly onWritten?: (latencyMs: number) => void;
  /** Cluster configs with the overrides of this agent. Default: the configs of the cluster. */
  readonly ownConfigs?: (cluster: ClusterView) => Readonly<Record<string, string>>;
  /** Shared by all APIs that decompress for clients. */
  readonly inflation?: ClientInflation;
  /** Yields to other work. Injected by tests that count the yields. */
  readonly pause?: () => Promise<void>;
  readonly metrics: Metrics;
  /** Counts bytes per topic and request. If absent, they are not counted. */
  readonly distribution?: TopicDistribution | undefined;
  /**
   * Called with the number of bytes that were decompressed synchronously (`atOnce`) or off the serving thread
   * (`offThread`).
   */
  readonly onInflated?: (bytes: number, where: 'atOnce' | 'offThread') => void;
}

/**
 * A batch that decompresses to more than may be done synchronously, or whose schemas must be fetched, and the place of
 * its response.
 */
interface DeferredBatch {
  readonly records: Buffer | null;
  readonly place: BatchPlace;
  readonly options: CheckOptions;
  readonly schemas: BatchSchemaCheck | undefined;
  readonly into: PartitionResponse[];
  readonly at: number;
}

/** Responses that do not depend on the write, and places for those that do. */
interface Draft {
  readonly responses: { name: string; topicId: string; partitionResponses: PartitionResponse[] }[];
  readonly batches: ProducedBatch[];
  /** The place of the response, per batch: the list, and the index there. */
  readonly places: { readonly into: PartitionResponse[][]; readonly at: number[] };
  /** Per batch. */
  readonly logAppendTimesMs: number[];
  readonly deferredBatches: DeferredBatch[];
  /** Whether the request has a transactional batch and no transactional id. */
  isUnnamed: boolean;
}

const zstdFromVersion = 7;
const topicIdsFromVersion = 13;
const storageErrorFromVersion = 4;
const abortableFromVersion = 11;
const addsPartitionsFromVersion = 12;
/** With acks 1, `timeoutMs` of the request has no meaning, because it is the time to wait for replicas. */
const usualTimeoutMs = 30_000;
/**
 * No object store completes a write in less time. Apache Kafka with one replica succeeds with any timeout, because it
 * writes synchronously.
 */
const timeoutMsMin = 1_000;

/**
 * Produce, v3 to v13. Each partition is validated separately. The valid ones are written together: all of them or, if
 * the store fails, none. `append` is called before the first await, which preserves the order of requests of a
 * connection. Only batches with a large decompressed size are awaited first, and then later requests of the connection
 * wait, too.
 *
 * Where the topic demands it, keys and values must fit the schemas that they name; a record that does not is
 * INVALID_RECORD with its index. If a schema is not known and the registry does not answer, the batch is
 * REQUEST_TIMED_OUT, which clients retry. While a schema is fetched, later requests of the connection wait.
 *
 * If records must be validated, the decompressed size of all batches of a request is limited; batches above the limit
 * fail with MESSAGE_TOO_LARGE. A connection that decompresses much more than it sends is slowed down. A partition that
 * appears twice fails with INVALID_REQUEST each time, so that a request decompresses each partition at most once.
 *
 * acks 1 waits as long as acks -1, because there is no state between received and durable. acks 0 waits too, to know
 * whether the connection must be closed.
 *
 * Transactional batches need a transactional id in the request; otherwise nothing of the request is written. From v12
 * on, their partitions are added to the transaction implicitly. A partition that is not part of an open transaction is
 * TRANSACTION_ABORTABLE from v11 on and INVALID_TXN_STATE before. A fenced producer gets INVALID_PRODUCER_EPOCH in
 * every version.
 *
 * Requires WRITE on each topic: partitions of a denied topic are TOPIC_AUTHORIZATION_FAILED, and the others are
 * written. Transactional batches require WRITE on the transactional id; without it nothing of the request is written.
 * If the client impersonates other principals, these need WRITE on the topic, and one record without it fails its
 * partition. Internal topics are INVALID_TOPIC_EXCEPTION, as in Apache Kafka.
 *
 * An agent without a produce role returns NOT_LEADER_OR_FOLLOWER, so that clients refresh their metadata and find
 * agents that have the role. acks 0 has no response, so the connection is closed instead.
 */
export function produceHandler(options: ProduceOptions): HandlerOf<ProduceApi> {
  const rulesOf = createTopicRulesReader(options.recordBytesMax);
  const inflation = options.inflation ?? new ClientInflation();
  /**
   * Per connection with batches that are decompressed off the serving thread: resolves when the write of its latest
   * request has begun.
   */
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
    const draft = mayUseTransaction(request, context) ? validate(request, context) : refusedDraft(request);
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
        // Nothing of the request was written yet, and the client is gone.
        if (hasLeft()) return 'close';
        return draft.batches.length === 0 ? answer(0) : write();
      } finally {
        begin();
        if (begun.get(context.closed) === ready) begun.delete(context.closed);
      }
    });

    /** With acks 0, a client may close its connection as soon as everything is sent. */
    function hasLeft(): boolean {
      return request.acks !== 0 && context.left.aborted;
    }

    /**
     * Decompresses the batches one at a time, after those of earlier requests. Never throws: invalid bytes become an
     * error response.
     */
    async function inflateInTurn(): Promise<void> {
      await before;
      const connection = inflation.of(context);
      for (const deferred of draft.deferredBatches) {
        const checked = await checkInTurn(deferred, connection);
        if (checked === undefined) return;
        settle(draft, checked, deferred.place.partition, deferred.into, deferred.at);
      }
    }

    async function checkInTurn(
      { records, place, options: rules, schemas }: DeferredBatch,
      connection: ConnectionInflation,
    ): Promise<CheckedBatch | undefined> {
      for (;;) {
        // Not in the turn of the connection, which other connections wait for.
        await schemas?.load();
        const checked = await connection.run(async () =>
          hasLeft() ? undefined : checkBatchOffThread(records, place, rules, pause, schemas),
        );
        if (checked !== schemasNeeded) return checked;
      }
    }

    function write() {
      options.distribution?.note(context.cluster, draft.batches);
      const startedMs = context.clock.monotonicMs();
      const deadlineMs = startedMs + timeoutMs(request);
      // With acks 0, a client may close its connection as soon as everything is sent.
      const left = request.acks === 0 ? undefined : context.left;
      return options.writePath
        .append(draft.batches, {
          deadlineMs,
          left,
          receivedMs: context.receivedMs,
          connection: context.closed,
        })
        .then(({ results, throttleTimeMs }) => {
          const { batches, places, logAppendTimesMs } = draft;
          for (const [index, { partition, transaction }] of batches.entries()) {
            const error = errorFor(results[index]!.error, transaction !== undefined, context.apiVersion);
            const response = written(partition, error, results[index]!, logAppendTimesMs[index]!);
            places.into[index]![places.at[index]!] = response;
          }
          options.onWritten?.(context.clock.monotonicMs() - (context.receivedMs ?? startedMs));
          return answer(throttleTimeMs);
        });
    }
  }

  function validate(request: RequestOf<ProduceApi>, context: RequestContext): Draft {
    const { access, cluster, apiVersion } = context;
    const principals = options.impersonation?.of(context.access);
    const draft = emptyDraft();
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
    let schemaWork: PayloadWork | undefined;
    const hasValidAcks = request.acks === -1 || request.acks === 0 || request.acks === 1;
    for (const { name, topicId, partitionData } of request.topicData) {
      const topic =
        apiVersion >= topicIdsFromVersion ? cluster.topicById(topicId) : cluster.topicByName(name);
      const principalsOfTopic = topic && principals?.onTopic(topic.name);
      // With impersonation, access is checked for the principals of the records.
      const needsAccess = principals?.mayDiffer !== true && !isUnknownId(topic, apiVersion);
      const isDenied = needsAccess && !access.may('WRITE', 'TOPIC', topic?.name ?? name);
      const partitionResponses: PartitionResponse[] = [];
      draft.responses.push({ name, topicId, partitionResponses });
      let checkOptions: CheckOptions | undefined;
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
          checkOptions ??= {
            rules: rulesOf(topic, configs),
            budget,
            allowsZstd: apiVersion >= zstdFromVersion,
            nowMs,
            transaction,
            principals: principalsOfTopic,
          };
          const { schemas: schemaRules } = checkOptions.rules;
          if (schemaRules !== undefined) schemaWork ??= options.schemaValidation?.work();
          const schemas =
            schemaRules && schemaWork && options.schemaValidation?.check(topic.name, schemaRules, schemaWork);
          if (schemaRules?.warnsOnly === false && schemas === undefined) {
            partitionResponses.push(refused(index, 'INVALID_CONFIG', noRegistryProblem));
            continue;
          }
          const checked = checkBatch(records, place, checkOptions, schemas);
          const at = partitionResponses.length;
          partitionResponses.push(notKnownYet);
          if (checked === offThread) {
            draft.deferredBatches.push({
              records,
              place,
              options: checkOptions,
              schemas,
              into: partitionResponses,
              at,
            });
          } else {
            settle(draft, checked, index, partitionResponses, at);
          }
        }
      }
    }
    return draft.isUnnamed ? refusedDraft(request) : draft;
  }
}

/** Records are not written unchecked. */
const noRegistryProblem =
  'the topic validates schemas, and this agent has no schema registry; start it with -externalSchemaRegistryURL';

/** Stands for a response until it is known. One for all: requests that wait for their file hold very many. */
const notKnownYet: PartitionResponse = refused(-1, 'NONE');

function emptyDraft(): Draft {
  return {
    responses: [],
    batches: [],
    places: { into: [], at: [] },
    logAppendTimesMs: [],
    deferredBatches: [],
    isUnnamed: false,
  };
}

/** A request with acks 0 has failed if it closes the connection. */
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

/** Records the outcome of the check of a batch in the draft. */
function settle(
  draft: Draft,
  checked: CheckedBatch,
  index: number,
  into: PartitionResponse[],
  at: number,
): void {
  if (checked.ok) {
    draft.batches.push(checked.batch);
    draft.places.into.push(into);
    draft.places.at.push(at);
    draft.logAppendTimesMs.push(checked.logAppendTimeMs);
    return;
  }
  if (checked.error === unnamedTransaction) draft.isUnnamed = true;
  into[at] = refused(index, checked.error, checked.message, checked.recordErrors);
}

/** Partitions that appear more than once, within a topic entry or in several entries of a topic. */
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

/** ACLs apply to names, so an unknown id cannot be denied. */
function isUnknownId(topic: TopicDescription | undefined, apiVersion: number): boolean {
  return topic === undefined && apiVersion >= topicIdsFromVersion;
}

/** Checks access only if a batch is marked transactional. A transactional id without such a batch has no effect. */
function mayUseTransaction(request: RequestOf<ProduceApi>, { access }: RequestContext): boolean {
  const { transactionalId, topicData } = request;
  if (transactionalId === null) return true;
  const isTransactional = topicData.some(({ partitionData }) =>
    partitionData.some(({ records }) => isTransactionalBatch(records)),
  );
  return !isTransactional || access.may('WRITE', 'TRANSACTIONAL_ID', transactionalId);
}

/** Reads only the header, before the batch is validated. */
function isTransactionalBatch(records: Buffer | null): boolean {
  if (records === null || records.length < headerBytes) return false;
  return new RecordBatchView(records).isTransactional;
}

/** Kafka's error for this case, because such a request cannot show that it may use a transactional id. */
const unnamedTransaction = 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED' satisfies ErrorName;

function refusedDraft({ topicData }: RequestOf<ProduceApi>): Draft {
  const responses = topicData.map(({ name, topicId, partitionData }) => ({
    name,
    topicId,
    partitionResponses: partitionData.map(({ index }) => refused(index, unnamedTransaction)),
  }));
  return { ...emptyDraft(), responses, isUnnamed: true };
}

function transactionOf(
  { transactionalId }: RequestOf<ProduceApi>,
  apiVersion: number,
): BatchTransaction | undefined {
  if (transactionalId === null) return undefined;
  return {
    // No transaction has an id above the limit. The truncated id is just as unknown, and does not bloat the commit.
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

/** Maps an error to one that old clients know and handle the same way. */
function errorFor(error: ErrorName, isTransactional: boolean, apiVersion: number): ErrorName {
  if (error === 'NONE') return error;
  if (error === 'INVALID_TXN_STATE' && isTransactional && apiVersion >= abortableFromVersion)
    return 'TRANSACTION_ABORTABLE';
  if (error === 'KAFKA_STORAGE_ERROR' && apiVersion < storageErrorFromVersion)
    return 'NOT_LEADER_OR_FOLLOWER';
  if (error === 'UNKNOWN_TOPIC_ID' && apiVersion < topicIdsFromVersion) return 'UNKNOWN_TOPIC_OR_PARTITION';
  return error;
}
