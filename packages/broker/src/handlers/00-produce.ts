import type { TopicDescription } from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import { internalTopicProblem, isInternalTopic, KiB, type Metrics, nextTurn } from '@weir/core';
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
import { brokerLimits } from '../limits.ts';
import { mayProduce } from '../placement/roles.ts';
import type { HandlerOf, RequestContext } from '../requests/handler.ts';
import type { Answer, HandlerResult } from '../requests/handler-result.ts';
import { RequestOrder } from '../requests/request-order.ts';
import { inTurns, mappedInTurns, TurnCount, type WorkInTurns } from '../requests/turns.ts';
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
import type {
  AppendOutcome,
  AppendResult,
  BatchTransaction,
  ProducedBatch,
} from '../write-path/produced-batch.ts';
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
 * the store fails, none; more than `appendBatchesMax` in parts for which that holds. `append` is called before the
 * first await, which preserves the order of requests of a connection. Only batches with a large decompressed size are
 * awaited first, and requests for thousands of partitions, which are checked and answered in turns; then later requests
 * of the connection wait, too.
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
  /** Requests are in order when their writes have begun. */
  const order = new RequestOrder();

  const succeeded = options.metrics.series(produceOutcomes, { outcome: 'success' });
  const failed = options.metrics.series(produceOutcomes, { outcome: 'error' });

  return (request, context) => {
    if (!mayProduce(options.roles)) return request.acks === 0 ? 'close' : notLeader(request, context);
    const answer = produce(request, context);
    return answer instanceof Promise ? answer.then(counted) : counted(answer);
  };

  function counted(answer: Answer<ProduceResponse>): Answer<ProduceResponse> {
    (isSuccess(answer) ? succeeded : failed).add(1);
    return answer;
  }

  function produce(request: RequestOf<ProduceApi>, context: RequestContext): HandlerResult<ProduceResponse> {
    const { acks } = request;
    if (acks !== 0) options.onRequest?.(context.clientId, request.timeoutMs);
    const before = order.before(context.closed);
    const pause = options.pause ?? (() => nextTurn(context.clock));
    const drafted = inTurns(draftOf(request, context), context.clock);
    if (!(drafted instanceof Promise)) {
      if (isEmpty(drafted)) return answerOf(drafted, acks, 0);
      if (drafted.deferredBatches.length === 0 && before === undefined) {
        return answerWritten(drafted, append(drafted.batches));
      }
    }
    return writeInOrder(drafted, order.hold(context.closed));

    /** Later requests of the connection wait until the write has begun, or it is known that there is none. */
    async function writeInOrder(
      drafting: Draft | Promise<Draft>,
      release: () => void,
    ): Promise<Answer<ProduceResponse>> {
      let written: Promise<Answer<ProduceResponse>>;
      try {
        const draft = await drafting;
        await inflateInTurn(draft);
        // Nothing of the request was written yet, and the client is gone.
        if (hasLeft()) return 'close';
        if (draft.batches.length === 0) return answerOf(draft, acks, 0);
        const { appended } = await appendInParts(draft.batches);
        written = answerWritten(draft, appended);
      } finally {
        release();
      }
      return written;
    }

    /** With acks 0, a client may close its connection as soon as everything is sent. */
    function hasLeft(): boolean {
      return request.acks !== 0 && context.left.aborted;
    }

    /**
     * Decompresses the batches one at a time, after those of earlier requests. Never throws: invalid bytes become an
     * error response.
     */
    async function inflateInTurn(draft: Draft): Promise<void> {
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

    function append(batches: readonly ProducedBatch[]): Promise<AppendOutcome> {
      return options.writePath.append(batches, {
        deadlineMs: context.clock.monotonicMs() + timeoutMs(request),
        // With acks 0, a client may close its connection as soon as everything is sent.
        left: acks === 0 ? undefined : context.left,
        receivedMs: context.receivedMs,
        connection: context.closed,
      });
    }

    /** Begins to write: many batches in several turns, so that the outcome is known later than that. */
    async function appendInParts(
      batches: readonly ProducedBatch[],
    ): Promise<{ readonly appended: Promise<AppendOutcome> }> {
      const partMax = brokerLimits.appendBatchesMax;
      if (batches.length <= partMax) return { appended: append(batches) };
      const parts: Promise<AppendOutcome>[] = [];
      for (let from = 0; from < batches.length; from += partMax) {
        parts.push(append(batches.slice(from, from + partMax)));
        await pause();
      }
      return { appended: Promise.all(parts).then(joinedOutcome) };
    }

    function answerWritten(draft: Draft, appended: Promise<AppendOutcome>): Promise<Answer<ProduceResponse>> {
      options.distribution?.note(context.cluster, draft.batches);
      const startedMs = context.clock.monotonicMs();
      return appended.then(({ results, throttleTimeMs }) => {
        const settled = inTurns(settleWritten(draft, results, context.apiVersion), context.clock);
        const end = () => {
          options.onWritten?.(context.clock.monotonicMs() - (context.receivedMs ?? startedMs));
          return answerOf(draft, acks, throttleTimeMs);
        };
        return settled instanceof Promise ? settled.then(end) : end();
      });
    }
  }

  /** Checks everything that does not depend on the write. */
  function* draftOf(request: RequestOf<ProduceApi>, context: RequestContext): WorkInTurns<Draft> {
    const turns = new TurnCount();
    if (!(yield* mayUseTransaction(request, context, turns))) return yield* refusedDraft(request, turns);
    const draft = yield* validate(request, context, turns);
    return draft.isUnnamed ? yield* refusedDraft(request, turns) : draft;
  }

  function* validate(
    request: RequestOf<ProduceApi>,
    context: RequestContext,
    turns: TurnCount,
  ): WorkInTurns<Draft> {
    const { access, cluster, apiVersion } = context;
    const principals = options.impersonation?.of(context.access);
    const draft = emptyDraft();
    const repeated = yield* repeatedPartitions(request, apiVersion, turns);
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
      if (turns.ends()) yield;
      for (const { index, records } of partitionData) {
        if (turns.ends(costOf(records))) yield;
        if (isDenied) {
          partitionResponses.push(refused(index, 'TOPIC_AUTHORIZATION_FAILED'));
        } else if (!hasValidAcks) {
          partitionResponses.push(refused(index, 'INVALID_REQUIRED_ACKS'));
        } else if (repeated.has(keyOf(apiVersion >= topicIdsFromVersion ? topicId : name, index))) {
          const problem = 'duplicate partition in the request';
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
    return draft;
  }
}

/** Records are not written unchecked. */
const noRegistryProblem =
  'the topic has schema validation, but this agent has no schema registry; set -externalSchemaRegistryURL';

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

function notLeader(
  request: RequestOf<ProduceApi>,
  { clock }: RequestContext,
): HandlerResult<ProduceResponse> {
  const refused = inTurns(
    failedResponses(request, new TurnCount(), (index) => ({
      index,
      errorCode: errors.NOT_LEADER_OR_FOLLOWER.code,
      baseOffset: -1n,
    })),
    clock,
  );
  return refused instanceof Promise ? refused.then((responses) => ({ responses })) : { responses: refused };
}

function* failedResponses(
  { topicData }: RequestOf<ProduceApi>,
  turns: TurnCount,
  responseOf: (index: number) => PartitionResponse,
): WorkInTurns<Draft['responses']> {
  const responses: Draft['responses'] = [];
  for (const { name, topicId, partitionData } of topicData) {
    if (turns.ends()) yield;
    const partitionResponses = yield* mappedInTurns(partitionData, turns, ({ index }) => responseOf(index));
    responses.push({ name, topicId, partitionResponses });
  }
  return responses;
}

function isEmpty({ batches, deferredBatches }: Draft): boolean {
  return batches.length === 0 && deferredBatches.length === 0;
}

function answerOf({ responses }: Draft, acks: number, throttleTimeMs: number): Answer<ProduceResponse> {
  if (acks !== 0) return { responses, throttleTimeMs };
  const hasFailed = responses.some(({ partitionResponses }) =>
    partitionResponses.some(({ errorCode }) => errorCode !== errors.NONE.code),
  );
  return hasFailed ? 'close' : 'noReply';
}

function joinedOutcome(parts: readonly AppendOutcome[]): AppendOutcome {
  const results: AppendResult[] = [];
  let throttleTimeMs = 0;
  for (const part of parts) {
    for (const result of part.results) results.push(result);
    throttleTimeMs = Math.max(throttleTimeMs, part.throttleTimeMs);
  }
  return { results, throttleTimeMs };
}

/** Puts the results of the write into their places. */
function* settleWritten(
  { batches, places, logAppendTimesMs }: Draft,
  results: readonly AppendResult[],
  apiVersion: number,
): WorkInTurns<void> {
  const turns = new TurnCount();
  for (const [index, { partition, transaction }] of batches.entries()) {
    const error = errorFor(results[index]!.error, transaction !== undefined, apiVersion);
    const response = written(partition, error, results[index]!, logAppendTimesMs[index]!);
    places.into[index]![places.at[index]!] = response;
    if (turns.ends()) yield;
  }
}

/** Checksums of so many bytes take as long as another entry, about. */
const entryBytes = 32 * KiB;

/** What a partition costs, in entries. */
function costOf(records: Buffer | null): number {
  return 1 + (records?.length ?? 0) / entryBytes;
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
function* repeatedPartitions(
  { topicData }: RequestOf<ProduceApi>,
  apiVersion: number,
  turns: TurnCount,
): WorkInTurns<ReadonlySet<string>> {
  if (topicData.length === 1 && topicData[0]!.partitionData.length === 1) return none;
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { name, topicId, partitionData } of topicData) {
    if (turns.ends()) yield;
    const topic = apiVersion >= topicIdsFromVersion ? topicId : name;
    for (const { index } of partitionData) {
      const key = keyOf(topic, index);
      if (seen.has(key)) repeated.add(key);
      else seen.add(key);
      if (turns.ends()) yield;
    }
  }
  return repeated;
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
function* mayUseTransaction(
  { transactionalId, topicData }: RequestOf<ProduceApi>,
  { access }: RequestContext,
  turns: TurnCount,
): WorkInTurns<boolean> {
  if (transactionalId === null) return true;
  for (const { partitionData } of topicData) {
    if (turns.ends()) yield;
    for (const { records } of partitionData) {
      if (isTransactionalBatch(records)) return access.may('WRITE', 'TRANSACTIONAL_ID', transactionalId);
      if (turns.ends()) yield;
    }
  }
  return true;
}

/** Reads only the header, before the batch is validated. */
function isTransactionalBatch(records: Buffer | null): boolean {
  if (records === null || records.length < headerBytes) return false;
  return new RecordBatchView(records).isTransactional;
}

/** Kafka's error for this case, because such a request cannot show that it may use a transactional id. */
const unnamedTransaction = 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED' satisfies ErrorName;

function* refusedDraft(request: RequestOf<ProduceApi>, turns: TurnCount): WorkInTurns<Draft> {
  const responses = yield* failedResponses(request, turns, (index) => refused(index, unnamedTransaction));
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
