import type {
  AcquireAnswer,
  AcquiredPartition,
  EntryError,
  Pointers,
  RecordsToAcquire,
  ShareError,
  TopicPartition,
} from '@weir/cluster';
import type { Clock } from '@weir/core';
import type { ClusterMachine } from '@weir/machine';
import type { ShareGroupRules } from '../share-configs.ts';
import { acquire, expire, mayAcquire } from './acquire.ts';
import { bytesOf, type LocatedLog, pointersTo, readableLog } from './readable-log.ts';
import { SharePartition, type Span } from './share-partition.ts';
import type { StoredPartition } from './stored-partition.ts';

interface AcquisitionOptions {
  readonly machine: Pick<ClusterMachine, 'findBatches' | 'findOffsets'>;
  /** For the age of records; locks are in monotonic time. */
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly request: RecordsToAcquire;
  readonly rules: ShareGroupRules;
  readonly find: (place: TopicPartition) => StoredPartition | undefined;
  /** Starts a partition; `undefined` if there are too many. */
  readonly open: (place: TopicPartition, state: SharePartition) => StoredPartition | undefined;
}

/** The state of one partition during an attempt. */
interface Found {
  readonly stored: StoredPartition;
  readonly log: LocatedLog;
  readonly bytes: number;
}

/** One acquire request in progress: it may need several attempts until there are enough records. */
export class Acquisition {
  readonly #options: AcquisitionOptions;

  constructor(options: AcquisitionOptions) {
    this.#options = options;
  }

  /**
   * Acquires records if there are enough of them, or if `isLast` whatever is available; `undefined` if the request must
   * wait. Adds changed partitions to `touched`. With `news`, only that partition is checked, because the others have
   * not changed since they had nothing.
   */
  attempt(
    nowMs: number,
    isLast: boolean,
    touched: Set<StoredPartition>,
    news?: StoredPartition,
  ): AcquireAnswer | undefined {
    const { request, rules } = this.#options;
    let bytes = 0;
    const found = request.partitions.map((place) => {
      const isMeant =
        news === undefined || (place.topicId === news.topicId && place.partition === news.partition);
      if (!isMeant) return undefined;
      const one = this.#inspect(place, nowMs, request.bytesMax, touched);
      if (typeof one !== 'string') bytes += one.bytes;
      return one;
    });
    const hasProblem = found.some((one) => typeof one === 'string');
    if (!isLast && !hasProblem && (bytes === 0 || bytes < request.bytesMin)) return undefined;
    let leftRecords = request.recordsMax;
    let leftBytes = request.bytesMax;
    const partitions = found.map((one, index): AcquiredPartition => {
      if (one === undefined) return { error: 'NONE', ...nothing };
      if (typeof one === 'string') return { error: one, ...nothing };
      if (one.bytes === 0 || leftRecords <= 0 || leftBytes <= 0) return { error: 'NONE', ...nothing };
      // The bytes of earlier partitions count against the limit of this one.
      const fitting =
        leftBytes === request.bytesMax
          ? one
          : this.#inspect(request.partitions[index]!, nowMs, leftBytes, touched);
      if (typeof fitting === 'string') return { error: fitting, ...nothing };
      const { stored, log } = fitting;
      const acquirer = { memberId: request.memberId, recordsMax: leftRecords };
      const spans = acquire(stored.state, acquirer, log, nowMs, rules);
      if (spans.length === 0) return { error: 'NONE', ...nothing };
      touched.add(stored);
      const { pointers, bytes: takenBytes } = pointersTo(log.pointers, spans);
      leftBytes -= takenBytes;
      for (const { first, last } of spans) leftRecords -= last - first + 1;
      const aborted = rules.isReadCommitted && log.aborted !== undefined ? { aborted: log.aborted } : {};
      return { error: 'NONE', acquired: columnsOf(spans), pointers, ...aborted };
    });
    return { error: 'NONE', lockMs: rules.lockMs, partitions };
  }

  /** Finds the partition, starts it if it is new, and determines what can be acquired. */
  #inspect(
    place: TopicPartition,
    nowMs: number,
    bytesMax: number,
    touched: Set<StoredPartition>,
  ): Found | ShareError {
    const { find, rules } = this.#options;
    const stored = find(place) ?? this.#open(place);
    if (typeof stored === 'string') return stored;
    if (expire(stored.state, nowMs, rules)) touched.add(stored);
    const log = this.#readFrom(stored, bytesMax, touched);
    if (typeof log === 'string') return log;
    const offset = stored.state.firstAvailable;
    return {
      stored,
      log,
      bytes: mayAcquire(stored.state, log, rules) ? Math.max(1, bytesOf(log, offset)) : 0,
    };
  }

  #open(place: TopicPartition): StoredPartition | ShareError {
    const { machine, rules, open } = this.#options;
    const [log] = machine.findBatches([{ ...place, offset: 0, bytesMax: 1 }]);
    const { error, logStartOffset, nextOffset, lastStableOffset } = log!;
    if (error !== 'NONE' && error !== 'OFFSET_OUT_OF_RANGE') return missing(error);
    const end = rules.isReadCommitted ? lastStableOffset : nextOffset;
    const state = new SharePartition(this.#startOf(place, logStartOffset, end));
    return open(place, state) ?? 'POLICY_VIOLATION';
  }

  /** The leader has no records, so that a start by age is that of the stored range with the first young one. */
  #startOf(place: TopicPartition, logStartOffset: number, end: number): number {
    const { machine, rules, clock } = this.#options;
    const { beginsAt } = rules;
    if (beginsAt === 'earliest') return logStartOffset;
    if (beginsAt === 'latest') return end;
    const wanted = { ...place, want: 'first', timestampMs: clock.nowMs() - beginsAt.ageMsMax } as const;
    const [base] = machine.findOffsets([wanted])[0]!.pointers.baseOffset;
    return base === undefined ? end : Math.min(end, Math.max(logStartOffset, base));
  }

  #readFrom(
    stored: StoredPartition,
    bytesMax: number,
    touched: Set<StoredPartition>,
  ): LocatedLog | ShareError {
    const { machine, rules } = this.#options;
    const { topicId, partition, state } = stored;
    const ask = () =>
      machine.findBatches([{ topicId, partition, offset: state.firstAvailable, bytesMax }])[0]!;
    let answer = ask();
    // Retention may have removed records that the group was about to read.
    if (state.startNoEarlierThan(answer.logStartOffset)) {
      touched.add(stored);
      answer = ask();
    }
    const { error } = answer;
    // The start offset of a group may have been set beyond the end of the log.
    if (error !== 'NONE' && error !== 'OFFSET_OUT_OF_RANGE') return missing(error);
    return readableLog(answer, state.firstAvailable, bytesMax, rules.isReadCommitted);
  }
}

function missing(error: EntryError): ShareError {
  return error === 'UNKNOWN_TOPIC_ID' ? error : 'UNKNOWN_TOPIC_OR_PARTITION';
}

const noPointers: Pointers = {
  fileId: [],
  byteStart: new Float64Array(0),
  byteLength: new Float64Array(0),
  baseOffset: new Float64Array(0),
  nextOffset: new Float64Array(0),
};

const nothing = { acquired: columnsOf([]), pointers: noPointers } as const;

function columnsOf(spans: readonly Span[]): AcquiredPartition['acquired'] {
  return {
    firstOffset: Float64Array.from(spans, ({ first }) => first),
    lastOffset: Float64Array.from(spans, ({ last }) => last),
    deliveryCount: Uint8Array.from(spans, ({ deliveryCount }) => deliveryCount),
  };
}
