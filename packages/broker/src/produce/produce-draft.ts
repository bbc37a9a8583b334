import type { TopicDescription } from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import { internalTopicProblem, isInternalTopic, KiB } from '@weir/core';
import type { PayloadWork } from '@weir/registry/decoding';
import { type ErrorName, headerBytes, RecordBatchView } from '@weir/wire';
import type { ClusterView } from '../cluster/cluster-view.ts';
import type { ClientInflation } from '../inflation/client-inflation.ts';
import { InflationBudget } from '../inflation/inflation-budget.ts';
import type { RequestContext } from '../requests/handler.ts';
import { TurnCount, type WorkInTurns } from '../requests/turns.ts';
import type { BatchSchemaCheck } from '../schema-validation/batch-schema-check.ts';
import type { SchemaValidation } from '../schema-validation/schema-validation.ts';
import {
  type BatchPlace,
  type CheckedBatch,
  type CheckOptions,
  checkBatch,
  offThread,
} from '../write-path/check-batch.ts';
import type { Impersonation } from '../write-path/impersonation/impersonation.ts';
import type { AppendResult, BatchTransaction, ProducedBatch } from '../write-path/produced-batch.ts';
import { createTopicRulesReader } from '../write-path/topic-rules.ts';
import {
  errorFor,
  failedResponses,
  type PartitionResponse,
  type ProduceRequest,
  refused,
  type TopicResponse,
  topicIdsFromVersion,
  written,
} from './partition-response.ts';

export interface DraftOptions {
  /** Limit on the size of a record if neither topic nor cluster sets one. */
  readonly recordBytesMax: number;
  /** Whether all topics are lightning topics, whatever their configs say. By default they are not. */
  readonly areAllLightning?: boolean | undefined;
  /** Impersonation settings. If absent, the sender is the author and no principal header is added. */
  readonly impersonation?: Impersonation | undefined;
  /** Validation of records by their schemas. If absent, topics that demand it take no records. */
  readonly schemaValidation?: SchemaValidation | undefined;
  /** Cluster configs with the overrides of this agent. Default: the configs of the cluster. */
  readonly ownConfigs?: (cluster: ClusterView) => Readonly<Record<string, string>>;
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
export interface DeferredBatch {
  readonly records: Buffer | null;
  readonly place: BatchPlace;
  readonly options: CheckOptions;
  readonly schemas: BatchSchemaCheck | undefined;
  readonly into: PartitionResponse[];
  readonly at: number;
}

/** Responses that do not depend on the write, and places for those that do. */
export interface Draft {
  readonly responses: TopicResponse[];
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
const addsPartitionsFromVersion = 12;

/** Checks of requests: everything that does not depend on the write. */
export function produceDrafts(
  options: DraftOptions,
  inflation: ClientInflation,
): (request: ProduceRequest, context: RequestContext) => WorkInTurns<Draft> {
  const rulesOf = createTopicRulesReader(options);
  return draftOf;

  function* draftOf(request: ProduceRequest, context: RequestContext): WorkInTurns<Draft> {
    const turns = new TurnCount();
    const { transactionalId } = request;
    if (transactionalId !== null && !(yield* mayUseTransaction(transactionalId, request, context, turns)))
      return yield* refusedDraft(request, turns);
    const draft = yield* validate(request, context, turns);
    return draft.isUnnamed ? yield* refusedDraft(request, turns) : draft;
  }

  function* validate(request: ProduceRequest, context: RequestContext, turns: TurnCount): WorkInTurns<Draft> {
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
        } else if (
          repeated.size > 0 &&
          repeated.has(keyOf(apiVersion >= topicIdsFromVersion ? topicId : name, index))
        ) {
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
            hasCheckedCrc: context.hasCheckedCrcs === true,
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

/** Puts the results of the write into their places. */
export function settlerOf(
  { places, logAppendTimesMs }: Draft,
  results: readonly AppendResult[],
  apiVersion: number,
): (batch: ProducedBatch, index: number) => void {
  return ({ partition, transaction }, index) => {
    const error = errorFor(results[index]!.error, transaction !== undefined, apiVersion);
    const response = written(partition, error, results[index]!, logAppendTimesMs[index]!);
    places.into[index]![places.at[index]!] = response;
  };
}

/** Checksums of so many bytes take as long as another entry, about. */
const entryBytes = 32 * KiB;

/** What a partition costs, in entries. */
function costOf(records: Buffer | null): number {
  return 1 + (records?.length ?? 0) / entryBytes;
}

/** Records the outcome of the check of a batch in the draft. */
export function settle(
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
  { topicData }: ProduceRequest,
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

function recordsBytesOf({ topicData }: ProduceRequest): number {
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
  transactionalId: string,
  { topicData }: ProduceRequest,
  { access }: RequestContext,
  turns: TurnCount,
): WorkInTurns<boolean> {
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

function* refusedDraft(request: ProduceRequest, turns: TurnCount): WorkInTurns<Draft> {
  const responses = yield* failedResponses(request, turns, (index) => refused(index, unnamedTransaction));
  return { ...emptyDraft(), responses, isUnnamed: true };
}

function transactionOf(
  { transactionalId }: ProduceRequest,
  apiVersion: number,
): BatchTransaction | undefined {
  if (transactionalId === null) return undefined;
  return {
    // No transaction has an id above the limit. The truncated id is just as unknown, and does not bloat the commit.
    transactionalId: transactionalId.slice(0, clusterLimits.transactionalIdCharsMax + 1),
    addsPartition: apiVersion >= addsPartitionsFromVersion,
  };
}
