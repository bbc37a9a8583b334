import type { AbortedTransactions, BatchesAnswer, Pointers } from '@weir/cluster';
import type { ErrorName } from '@weir/wire';
import type { GrowingEnd } from '../cluster/cluster-view.ts';
import type { DamageRegistry } from '../damage/damage-registry.ts';
import { type BatchList, leaderEpoch } from '../read-path/batch-list.ts';
import { DamagedRange } from '../read-path/damaged-range.ts';
import type { ReadQuery } from '../read-path/query-reader.ts';
import type { RequestContext } from '../requests/handler.ts';
import type { FetchPartition, PartitionNews } from './fetch-sessions.ts';

/** The first version of Fetch that names topics by their ids. */
export const topicIdsFromVersion = 13;

/** Errors of partitions that are not there or not permitted. */
const foundBeforeReading: ReadonlySet<ErrorName> = new Set([
  ...(['UNKNOWN_TOPIC_OR_PARTITION', 'UNKNOWN_TOPIC_ID', 'INCONSISTENT_TOPIC_ID'] as const),
  ...(['INVALID_TOPIC_EXCEPTION', 'TOPIC_AUTHORIZATION_FAILED'] as const),
]);

export interface PartitionFetchOptions {
  readonly isCommitted: boolean;
  readonly requestBytesMax: number;
  readonly partitionBytesMax: number;
  readonly returnsSingleBatch?: boolean;
  readonly damage: DamageRegistry;
  /** Whether clients of a topic ask again instead of starting anew where an offset is out of range. */
  readonly hidesOutOfRange?: ((topicId: string) => boolean) | undefined;
}

/** State of one partition during a fetch. */
export class PartitionFetch implements PartitionNews {
  readonly partition: FetchPartition;
  readonly offset: number;
  readonly bytesMax: number;
  readonly #uncompressedBytesMax: number;
  readonly #batchesMax: number | undefined;
  readonly #isCommitted: boolean;
  readonly #damage: DamageRegistry;
  readonly #hidesOutOfRange: ((topicId: string) => boolean) | undefined;
  topicId = '';
  error: ErrorName = 'NONE';
  pointers: Pointers | undefined;
  /** Aborted transactions of the records in `pointers` before `#readableTo`. */
  #aborted: AbortedTransactions | undefined;
  batches: BatchList | undefined;
  logStartOffset = -1;
  highWatermark = -1;
  lastStableOffset = -1;
  /** The offset at which the reader stops; `#aborted` is valid up to it. */
  #readableTo = Number.POSITIVE_INFINITY;
  /** Whether only the control plane can locate the batches. */
  mustAsk = false;

  constructor(partition: FetchPartition, options: PartitionFetchOptions) {
    const { isCommitted, requestBytesMax, partitionBytesMax, damage, hidesOutOfRange } = options;
    this.partition = partition;
    this.offset = partition.fetchOffset;
    this.#isCommitted = isCommitted;
    this.#damage = damage;
    this.#hidesOutOfRange = hidesOutOfRange;
    this.bytesMax = Math.min(Math.max(partition.bytesMax, 0), partitionBytesMax);
    this.#uncompressedBytesMax = Math.min(partitionBytesMax, requestBytesMax);
    this.#batchesMax = options.returnsSingleBatch === true ? 1 : undefined;
  }

  get hasError(): boolean {
    return this.error !== 'NONE';
  }

  get hasRecords(): boolean {
    return this.batches !== undefined && this.batches.bytes > 0;
  }

  /** The error of the fetch offset, if a recent read found it damaged. */
  get #knownError(): ErrorName | undefined {
    return this.pointers && this.#damage.errorAt(this.topicId, this.partition.partition, this.offset);
  }

  /**
   * Reports known damage after the wait and not at once: clients retry without a pause, for as long as the damage
   * lasts.
   */
  failIfDamaged(): void {
    const error = this.#knownError;
    if (error !== undefined) this.fail(error);
  }

  /** Bytes that can be sent; the range that holds the first offset counts as a whole. */
  get locatedBytes(): number {
    if (this.pointers === undefined || this.#knownError !== undefined) return 0;
    const { baseOffset, byteLength } = this.pointers;
    let bytes = 0;
    for (let row = 0; row < byteLength.length && baseOffset[row]! < this.#readableTo; row++) {
      bytes += byteLength[row]!;
    }
    return Math.min(bytes, Math.max(this.bytesMax, 1));
  }

  /** The end offset that the reader waits for, and the offset that it must exceed. */
  get awaited(): { readonly end: GrowingEnd; readonly beyond: number } {
    const end = this.#isCommitted ? 'lastStableOffset' : 'nextOffset';
    const known = this.#isCommitted ? this.lastStableOffset : this.highWatermark;
    return { end, beyond: Math.max(known, this.offset) };
  }

  /** As in Kafka: `null` for read_uncommitted and for what failed in reading, and none for what cannot be read. */
  get abortedTransactions(): { readonly producerId: bigint; readonly firstOffset: bigint }[] | null {
    if (this.hasError) return foundBeforeReading.has(this.error) ? [] : null;
    if (!this.#isCommitted) return null;
    if (this.#aborted === undefined || !this.hasRecords) return [];
    const { producerId, firstOffset } = this.#aborted;
    const end = Math.min(this.#readableTo, this.batches!.nextOffset);
    return Array.from(producerId, (id, row) => ({
      producerId: BigInt(id),
      firstOffset: BigInt(firstOffset[row]!),
    })).filter(({ firstOffset }) => firstOffset < end);
  }

  query(bytesMax: number, atLeastOne: boolean): ReadQuery {
    return {
      pointers: this.pointers!,
      fromOffset: this.offset,
      toOffset: this.#readableTo,
      bytesMax,
      uncompressedBytesMax: this.#uncompressedBytesMax,
      batchesMax: this.#batchesMax,
      atLeastOne,
    };
  }

  /** Locates batches with the cluster view, without a call to the control plane. */
  locateInView(context: RequestContext): void {
    this.mustAsk = false;
    const problem = this.#locateInView(context);
    if (problem !== undefined) this.fail(problem);
  }

  #locateInView({ cluster, apiVersion }: RequestContext): ErrorName | undefined {
    const usesTopicIds = apiVersion >= topicIdsFromVersion;
    const { topicName, topicId, partition, currentLeaderEpoch } = this.partition;
    const topic = usesTopicIds ? cluster.topicById(topicId) : cluster.topicByName(topicName);
    if (topic === undefined) return usesTopicIds ? 'UNKNOWN_TOPIC_ID' : 'INVALID_TOPIC_EXCEPTION';
    const ends = cluster.ends(topic.topicId, partition);
    if (ends === undefined) return 'UNKNOWN_TOPIC_OR_PARTITION';
    if (currentLeaderEpoch > leaderEpoch) return 'UNKNOWN_LEADER_EPOCH';
    if (currentLeaderEpoch >= 0 && currentLeaderEpoch < leaderEpoch) return 'FENCED_LEADER_EPOCH';
    if (this.offset < ends.logStartOffset) return this.#known('OFFSET_OUT_OF_RANGE', topic.topicId);

    const hasGrown = this.#isCommitted
      ? ends.lastStableOffset > this.lastStableOffset
      : ends.nextOffset > this.highWatermark;
    const isLocated = this.pointers !== undefined && !hasGrown;
    this.topicId = topic.topicId;
    this.logStartOffset = Math.max(this.logStartOffset, ends.logStartOffset);
    this.highWatermark = Math.max(this.highWatermark, ends.nextOffset);
    this.lastStableOffset = Math.max(this.lastStableOffset, ends.lastStableOffset);
    if (isLocated || this.offset === this.highWatermark) return undefined;
    // The wait ends when these records become stable.
    if (this.#isCommitted && this.offset >= this.lastStableOffset && this.offset <= ends.nextOffset)
      return undefined;
    // An offset beyond the cluster view may exist: the client may have learned of it from another agent. So may a log
    // start, if the view is stale.
    const recent =
      this.offset < ends.nextOffset && !cluster.isStale()
        ? cluster.recentPointers(topic.topicId, partition, this.offset, this.bytesMax)
        : undefined;
    if (recent === undefined || recent.fileId.length === 0) {
      this.mustAsk = true;
      return undefined;
    }
    this.pointers = recent;
    if (this.#isCommitted) {
      const readableTo = ends.lastStableOffset;
      const aborted = cluster.recentAborted(topic.topicId, partition, this.offset, readableTo);
      this.#stopAt(readableTo, aborted);
    }
    return undefined;
  }

  /** Pointers, aborted transactions and the stop offset belong to one point in time and are only valid together. */
  #stopAt(lastStableOffset: number, aborted: AbortedTransactions | undefined): void {
    this.#readableTo = lastStableOffset;
    this.#aborted = aborted;
    if (this.offset >= lastStableOffset) this.pointers = undefined;
  }

  /** Applies the answer of the control plane. */
  take({ error, logStartOffset, nextOffset, lastStableOffset, pointers, aborted }: BatchesAnswer): void {
    this.mustAsk = false;
    if (error !== 'NONE') {
      this.fail(this.#known(error, this.topicId));
      return;
    }
    this.logStartOffset = Math.max(this.logStartOffset, logStartOffset);
    this.highWatermark = Math.max(this.highWatermark, nextOffset);
    this.lastStableOffset = Math.max(this.lastStableOffset, lastStableOffset);
    this.pointers = pointers.fileId.length > 0 ? pointers : undefined;
    if (this.#isCommitted) this.#stopAt(lastStableOffset, aborted);
  }

  /** The error as the agent shows it. */
  #known(error: ErrorName, topicId: string): ErrorName {
    const isHidden = error === 'OFFSET_OUT_OF_RANGE' && this.#hidesOutOfRange?.(topicId) === true;
    return isHidden ? 'KAFKA_STORAGE_ERROR' : error;
  }

  finish(result: BatchList | Error, { log }: RequestContext): void {
    const { partition } = this.partition;
    if (!(result instanceof Error)) {
      this.batches = result;
      this.#damage.readable(this.topicId, partition, this.offset, result.nextOffset);
      return;
    }
    if (result instanceof DamagedRange) {
      this.fail(this.#damage.found(this.topicId, partition, result));
      return;
    }
    log.error('failed to read batches', {
      topic: this.topicId,
      partition,
      offset: this.offset,
      error: String(result),
    });
    this.fail('KAFKA_STORAGE_ERROR');
  }

  fail(error: ErrorName): void {
    this.error = error;
    this.pointers = undefined;
    this.batches = undefined;
    this.logStartOffset = -1;
    this.highWatermark = -1;
    this.lastStableOffset = -1;
  }
}
