import type {
  AcknowledgeAnswer,
  AcquireAnswer,
  RecordsToAcknowledge,
  ShareError,
  TopicPartition,
} from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import { type Apis, type ErrorName, errors, type RequestOf, type ResponseOf } from '@weir/wire';
import type { GatheredCalls } from '../cluster-calls/gathered-calls.ts';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import type { DamageRegistry } from '../damage/damage-registry.ts';
import { brokerLimits } from '../limits.ts';
import type { AnswerMemory, AnswerRoom } from '../pressure/answer-memory.ts';
import type { BatchList } from '../read-path/batch-list.ts';
import { DamagedRange } from '../read-path/damaged-range.ts';
import type { ReadPath } from '../read-path/read-path.ts';
import type { RequestContext } from '../requests/handler.ts';
import type { TopicRefusals } from '../topics/topic-refusals.ts';
import type { PartitionAcknowledgements } from './acknowledgements.ts';
import { DeliveredPartition, inBatchesOf } from './delivered-partition.ts';
import { type ShareSession, serveLast } from './share-sessions.ts';

export type ShareFetchRequest = RequestOf<Apis['ShareFetch']>;
export type ShareFetchResponse = ResponseOf<Apis['ShareFetch']>;
type PartitionResponse = ShareFetchResponse['responses'][number]['partitions'][number];

export interface ShareReading {
  readonly readPath: ReadPath;
  readonly damage: DamageRegistry;
  readonly acknowledgements: GatheredCalls<RecordsToAcknowledge, AcknowledgeAnswer>;
  /** Upper bound for one answer, whatever the client requests. */
  readonly requestBytesMax: number;
  /** Memory for answers. If absent, an answer may always be as large as the limits allow. */
  readonly answers?: AnswerMemory | undefined;
  /** Aborted when the agent stops: long polls then end with what they have. */
  readonly stopping?: AbortSignal | undefined;
}

/** How long a fetch waits for room before it is answered without records. */
const roomWaitMs = 1_000;
const noRecords = Buffer.alloc(0);
/** No other leader: agents do not lead partitions, and clients stay where they are. */
const noOtherLeader = { leaderId: -1, leaderEpoch: -1 };
/** Partition errors that clients expect here; others become UNKNOWN_SERVER_ERROR, which clients retry. */
const expectedErrors: ReadonlySet<ErrorName> = new Set<ErrorName>([
  'NONE',
  'UNKNOWN_TOPIC_ID',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'KAFKA_STORAGE_ERROR',
]);

/** One validated ShareFetch with its session: acquires records, reads them, and answers. */
export class ShareFetch {
  readonly #reading: ShareReading;
  readonly #request: ShareFetchRequest;
  readonly #session: ShareSession;
  readonly #context: RequestContext;
  /**
   * The partitions that the client may read, as of now: other requests of the session may come before this one is
   * answered.
   */
  readonly #places: readonly TopicPartition[];
  /** The other partitions of the session, each with the reason. */
  readonly #refused: readonly { readonly place: TopicPartition; readonly error: ErrorName }[];
  /** Room for the answer; the caller has counted the answer by the time it releases the room. */
  room: AnswerRoom | undefined;
  throttleTimeMs = 0;

  constructor(
    reading: ShareReading,
    request: ShareFetchRequest,
    session: ShareSession,
    context: RequestContext,
    refusalOf: TopicRefusals,
  ) {
    this.#reading = reading;
    this.#request = request;
    this.#session = session;
    this.#context = context;
    const places = [...session.partitions.values()];
    this.#places = places.filter(({ topicId }) => refusalOf(topicId) === undefined);
    this.#refused = places.flatMap((place) => {
      const error = refusalOf(place.topicId);
      return error === undefined ? [] : [{ place, error }];
    });
  }

  /**
   * Acquires records, as long as the client is connected and the agent runs. `undefined` if the control plane is
   * unavailable.
   */
  async acquire(): Promise<AcquireAnswer | undefined> {
    const { cluster, closed } = this.#context;
    const { stopping } = this.#reading;
    const { maxRecords, maxBytes, minBytes, maxWaitMs } = this.#request;
    const places = this.#places;
    const recordsMax = Math.min(Math.max(maxRecords, 0), brokerLimits.shareFetchRecordsMax);
    const wantsNothing = places.length === 0 || recordsMax === 0 || maxBytes <= 0;
    if (wantsNothing || stopping?.aborted === true) return nothingAcquired;
    const bytesMax = this.#bytesMax();
    const acquiring = cluster.port.acquireRecords({
      groupId: this.#session.groupId,
      memberId: this.#session.memberId,
      partitions: places,
      recordsMax,
      bytesMax,
      bytesMin: Math.max(0, Math.min(minBytes, bytesMax)),
      waitMs: Math.max(0, Math.min(maxWaitMs, clusterLimits.fetchWaitMsMax)),
    });
    const answer = await unlessOver(ifAvailable(acquiring), closed, stopping);
    if (answer !== 'over') return answer;
    // Records that arrive now are too late; release them for other members.
    void acquiring.then(
      (late) => {
        const delivered = deliveredOf(places, late);
        for (const one of delivered) one.releaseAll();
        this.releaseUndelivered(delivered);
      },
      () => undefined,
    );
    return nothingAcquired;
  }

  /** Reads the acquired records, as views of the pages. Unreadable ones are released. */
  async read(
    answer: AcquireAnswer,
  ): Promise<Map<string, { delivered?: DeliveredPartition; error: ErrorName }>> {
    const { readPath, damage } = this.#reading;
    const places = this.#places;
    const results = new Map<string, { delivered?: DeliveredPartition; error: ErrorName }>();
    for (const { place, error } of this.#refused) results.set(keyOf(place), { error });
    for (const [index, place] of places.entries()) {
      results.set(keyOf(place), { error: partitionError(answer.partitions[index]?.error ?? 'NONE') });
    }
    const delivered: DeliveredPartition[] = [];
    const damaged: DeliveredPartition[] = [];
    for (const one of deliveredOf(places, answer)) {
      const { topicId, partition } = one.place;
      const error = damage.errorAt(topicId, partition, one.ranges[0]!.first);
      if (error === undefined) delivered.push(one);
      else {
        one.releaseAll();
        damaged.push(one);
        results.set(keyOf(one.place), { error });
      }
    }
    this.releaseUndelivered(damaged);
    if (delivered.length === 0) {
      // Clients retry without a pause, and would do so as long as the damage lasts.
      if (damaged.length > 0) await this.#pause();
      return results;
    }
    let leftBytes = await this.#makeRoom(delivered);
    const read = leftBytes === 0 ? [] : delivered;
    // What is acquired fits by its estimated size; batches are not cut, so that only their real sizes decide. As in
    // Kafka, one batch is delivered even if it alone exceeds the limit.
    const bytesMax = leftBytes;
    const batches = await readPath.readBatches(
      read.map((one, index) => one.query(bytesMax, index === 0)),
      this.#context.hold,
    );
    for (const [index, one] of delivered.entries()) {
      const result = batches[index];
      if (result === undefined) one.releaseAll();
      else {
        if (!(result instanceof Error)) {
          if (index > 0) result.trimTo(Math.max(0, leftBytes));
          leftBytes -= result.bytes;
        }
        const problem = result instanceof Error ? result : await this.#deliver(one, result);
        if (problem !== undefined) {
          one.releaseAll();
          results.set(keyOf(one.place), { error: this.#failed(one.place, problem) });
          continue;
        }
      }
      if (one.ranges.length > 0) serveLast(this.#session, one.place);
      results.set(keyOf(one.place), { delivered: one, error: 'NONE' });
    }
    // A client beyond its quota is answered without records.
    const quotaWaitMs = this.#context.quotas.fetched(bytesOf(delivered));
    for (const one of delivered) {
      if (quotaWaitMs > 0) one.releaseAll();
      if (one.batches !== undefined) readPath.sent(one.batches);
    }
    this.throttleTimeMs = Math.max(this.throttleTimeMs, quotaWaitMs);
    this.releaseUndelivered(delivered);
    return results;
  }

  /** Builds the answer: partitions with records or an error, and those with acknowledgements in the request. */
  respond(
    results: ReadonlyMap<string, { readonly delivered?: DeliveredPartition; readonly error: ErrorName }>,
    acknowledgements: readonly PartitionAcknowledgements[],
    acknowledgeErrors: readonly ErrorName[],
    lockMs: number,
  ): ShareFetchResponse {
    const topics = new Map<string, { topicId: string; partitions: PartitionResponse[] }>();
    const acknowledged = new Map(
      acknowledgements.map((one, index) => [keyOf(one), acknowledgeErrors[index]!]),
    );
    const places = new Map<string, TopicPartition>(acknowledgements.map((one) => [keyOf(one), one]));
    for (const place of this.#places) places.set(keyOf(place), place);
    for (const { place } of this.#refused) places.set(keyOf(place), place);
    for (const [key, { topicId, partition }] of places) {
      const result = results.get(key);
      const delivered = result?.delivered;
      const hasRecords = delivered !== undefined && delivered.ranges.length > 0;
      const isReported = hasRecords || (result?.error ?? 'NONE') !== 'NONE' || acknowledged.has(key);
      if (!isReported) continue;
      let topic = topics.get(topicId);
      if (topic === undefined) {
        topic = { topicId, partitions: [] };
        topics.set(topicId, topic);
      }
      topic.partitions.push({
        partitionIndex: partition,
        errorCode: errors[result?.error ?? 'NONE'].code,
        acknowledgeErrorCode: errors[acknowledged.get(key) ?? 'NONE'].code,
        currentLeader: noOtherLeader,
        records: hasRecords ? delivered.batches!.slices : noRecords,
        acquiredRecords: hasRecords
          ? inBatchesOf(delivered.ranges, this.#request.batchSize).map(({ first, last, deliveryCount }) => ({
              firstOffset: BigInt(first),
              lastOffset: BigInt(last),
              deliveryCount,
            }))
          : [],
      });
    }
    return {
      throttleTimeMs: this.throttleTimeMs,
      errorCode: errors.NONE.code,
      acquisitionLockTimeoutMs: lockMs,
      responses: [...topics.values()],
      nodeEndpoints: [],
    };
  }

  /** Reports records that the member does not get to the control plane. If that fails, their locks expire. */
  releaseUndelivered(delivered: readonly DeliveredPartition[]): void {
    const partitions = delivered.flatMap((one) => one.acknowledgement() ?? []);
    if (partitions.length === 0) return;
    const { groupId, memberId } = this.#session;
    this.#reading.acknowledgements
      .ask({ groupId, memberId, partitions, released: [] })
      .catch((error) =>
        this.#context.log.debug('failed to release acquired records', { error: String(error) }),
      );
  }

  /** The limits of the client, the agent and the quotas. */
  #bytesMax(): number {
    const { requestBytesMax } = this.#reading;
    return Math.floor(
      Math.min(this.#request.maxBytes, requestBytesMax, this.#context.quotas.fetchBytesMax()),
    );
  }

  /** Returns how many bytes the answer may have; 0 if there is no room for it. */
  async #makeRoom(delivered: readonly DeliveredPartition[]): Promise<number> {
    const { answers } = this.#reading;
    const bytesMax = this.#bytesMax();
    const wantedBytes = delivered.reduce((sum, { storedBytes }) => sum + storedBytes, 0);
    if (answers === undefined) return bytesMax;
    const bytes = Math.min(bytesMax, wantedBytes);
    this.room = await answers.room(bytes, { waitMs: roomWaitMs, closed: this.#context.closed });
    if (this.room === undefined) this.throttleTimeMs = roomWaitMs;
    return this.room?.bytes ?? 0;
  }

  /** Returns what went wrong. */
  async #deliver(one: DeliveredPartition, batches: BatchList): Promise<Error | undefined> {
    const { readPath, damage } = this.#reading;
    const { topicId, partition } = one.place;
    if (batches.batchCount === 0) {
      one.releaseAll();
      return undefined;
    }
    damage.readable(topicId, partition, one.ranges[0]!.first, batches.nextOffset);
    one.finish(batches);
    try {
      await one.leaveOutAborted(readPath);
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  /** Returns the error for the client. */
  #failed({ topicId, partition }: TopicPartition, error: Error): ErrorName {
    if (error instanceof DamagedRange) return this.#reading.damage.found(topicId, partition, error);
    this.#context.log.error('failed to read batches', { topic: topicId, partition, error: String(error) });
    return 'KAFKA_STORAGE_ERROR';
  }

  /** Waits as long as the client would wait for records. */
  async #pause(): Promise<void> {
    const { clock, closed } = this.#context;
    const waitMs = Math.max(0, Math.min(this.#request.maxWaitMs, clusterLimits.fetchWaitMsMax));
    const waited = Promise.withResolvers<void>();
    const cancel = clock.after(waitMs, waited.resolve);
    await unlessOver(waited.promise, closed, this.#reading.stopping);
    cancel();
  }
}

function deliveredOf(places: readonly TopicPartition[], { partitions }: AcquireAnswer): DeliveredPartition[] {
  return places.flatMap((place, index) => {
    const given = partitions[index];
    return given === undefined || given.acquired.firstOffset.length === 0
      ? []
      : [new DeliveredPartition(place, given)];
  });
}

const nothingAcquired: AcquireAnswer = { error: 'NONE', lockMs: 0, partitions: [] };

function bytesOf(delivered: readonly DeliveredPartition[]): number {
  return delivered.reduce((sum, { batches }) => sum + (batches?.bytes ?? 0), 0);
}

function partitionError(error: ShareError): ErrorName {
  return expectedErrors.has(error) ? error : 'UNKNOWN_SERVER_ERROR';
}

function keyOf({ topicId, partition }: TopicPartition): string {
  return `${topicId}/${partition}`;
}

/** Returns the answer, or `over` if the client disconnects or the agent stops first. */
function unlessOver<Answer>(
  answer: Promise<Answer>,
  ...signals: readonly (AbortSignal | undefined)[]
): Promise<Answer | 'over'> {
  return new Promise((resolve, reject) => {
    const end = () => resolve('over');
    for (const signal of signals) {
      if (signal?.aborted === true) end();
      signal?.addEventListener('abort', end, { once: true });
    }
    answer.then(resolve, reject).finally(() => {
      for (const signal of signals) signal?.removeEventListener('abort', end);
    });
  });
}
