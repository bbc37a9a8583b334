import { markerBytes } from '@weir/cluster';
import type { CompactedModel } from './compacted-model.ts';
import { LogModel } from './log-model.ts';
import type { SeenBatch, SeenLog } from './log-reading.ts';
import { hourMs, mergeLimits } from './setting.ts';

/** A transaction of a client. `unknown`: it may have ended either way, until a reader has seen which. */
export interface Transaction {
  state: 'open' | 'unknown' | 'committed' | 'aborted';
}

/** A partition, whatever its policy. */
export type AnyLogModel = PartitionModel | CompactedModel;

/** A batch that a client sent. */
export interface SentBatch {
  /** Begins the value of each of its records. */
  readonly id: string;
  readonly partition: AnyLogModel;
  readonly records: readonly { readonly key: string | null; readonly value: string | null }[];
  readonly timestampMs: number;
  readonly bytes: number;
  readonly transaction: Transaction | undefined;
  /** `doubt`: no answer came, so it may be in the log. */
  state: 'sent' | 'doubt' | 'acknowledged' | 'refused';
  /** Once it is known. */
  baseOffset?: number | undefined;
}

interface LogContents {
  readonly batches: ReadonlySet<SentBatch>;
  readonly startOffset: number;
  readonly deletedTo: number;
}

export interface RetentionRule {
  /** -1: without end. */
  readonly retentionMs: number;
  readonly retentionBytes: number;
}

/** How late retention may be: it runs at intervals, and not while a cluster has no leader. */
const retentionLatenessMs = 6 * hourMs;

/** What a partition must contain, from the answers that clients got. */
export class PartitionModel extends LogModel {
  readonly rule: RetentionRule;
  /** Batches whose place is known, by base offset, without those below the start. */
  #known = new Map<number, SentBatch>();
  readonly #doubtful = new Set<SentBatch>();
  #startOffset = 0;
  /** Up to here clients deleted records: acknowledged, and at most. */
  #deletedTo = 0;
  #deletedToMax = 0;
  /** Up to here retention was seen to remove records that it may. */
  #retainedFrom = 0;
  #hasMarkers = false;
  /** Since when retention has been applied without a pause. */
  retainedSinceMs: number;

  constructor(name: string, topicId: string, partition: number, rule: RetentionRule, nowMs: number) {
    super(name, topicId, partition);
    this.rule = rule;
    this.retainedSinceMs = nowMs;
  }

  /** As far as it is known. */
  get startOffset(): number {
    return this.#startOffset;
  }

  /** Bytes of batches that retention requires, with a marker for each that is part of a transaction. */
  get requiredBytes(): number {
    return sum(
      this.#known.values(),
      ({ bytes, transaction }) => bytes + (transaction === undefined ? 0 : markerBytes),
    );
  }

  /** What a clone has for certain that is made from now on. */
  get contents(): LogContents {
    const plain = [...this.#known.values()].filter(({ transaction }) => transaction === undefined);
    return { batches: new Set(plain), startOffset: this.#startOffset, deletedTo: this.#deletedTo };
  }

  /**
   * A clone that was made since the log had these contents. What came meanwhile may be in it or not; and so may be what
   * is part of a transaction, because a clone ends at the last stable offset.
   */
  clonedSince(before: LogContents, name: string, topicId: string, nowMs: number): PartitionModel {
    const clone = new PartitionModel(name, topicId, this.partition, this.rule, nowMs);
    clone.#startOffset = before.startOffset;
    clone.#deletedTo = before.deletedTo;
    clone.#deletedToMax = this.#deletedToMax;
    clone.#retainedFrom = this.#retainedFrom;
    clone.#hasMarkers = this.#hasMarkers;
    for (const batch of before.batches)
      clone.#place({ ...batch, partition: clone, state: 'acknowledged' }, batch.baseOffset!);
    for (const batch of [...this.#known.values(), ...this.#doubtful]) {
      if (before.batches.has(batch)) continue;
      clone.#doubtful.add({ ...batch, partition: clone, state: 'doubt', baseOffset: undefined });
    }
    return clone;
  }

  sent(batch: SentBatch): void {
    this.#doubtful.add(batch);
  }

  acknowledged(batch: SentBatch, baseOffset: number): void {
    if (batch.baseOffset !== undefined && batch.baseOffset !== baseOffset)
      this.fail(`${batch.id} is at ${batch.baseOffset} and was acknowledged at ${baseOffset}`);
    if (batch.state === 'refused') this.fail(`${batch.id} was refused, and then acknowledged`);
    batch.state = 'acknowledged';
    this.#place(batch, baseOffset);
  }

  refused(batch: SentBatch): void {
    // An earlier commit of it, whose answer was lost, may have succeeded.
    if (batch.state === 'doubt') return;
    batch.state = 'refused';
    this.#doubtful.delete(batch);
  }

  deleting(toOffset: number): void {
    this.#deletedToMax = Math.max(this.#deletedToMax, toOffset);
  }

  deleted(toOffset: number): void {
    this.#deletedTo = Math.max(this.#deletedTo, toOffset);
  }

  /** Checks a start that retention moved: all that is gone has expired, or is more than the log may have. */
  checkRetention(startOffset: number, nowMs: number): void {
    if (startOffset <= Math.max(this.#retainedFrom, this.#deletedToMax)) return;
    const { retentionMs, retentionBytes } = this.rule;
    const batches = [...this.#known.values()].sort((a, b) => a.baseOffset! - b.baseOffset!);
    let bytesAfter = sum(batches, ({ bytes }) => bytes) + sum(this.#doubtful, ({ bytes }) => bytes);
    if (this.#hasMarkers) bytesAfter += markerBytes * (batches.length + this.#doubtful.size);
    for (const { id, baseOffset, bytes, timestampMs } of batches) {
      if (baseOffset! >= startOffset) break;
      bytesAfter -= bytes;
      if (baseOffset! < this.#deletedToMax) continue;
      const hasExpired = retentionMs >= 0 && timestampMs < nowMs - retentionMs;
      const isTooMuch = retentionBytes >= 0 && bytesAfter >= retentionBytes;
      if (!hasExpired && !isTooMuch)
        this.fail(`retention removed ${id} at ${baseOffset} too early, ${bytesAfter} bytes before the end`);
    }
    this.#retainedFrom = startOffset;
  }

  /** Checks what a consumer sees against what it must see, and learns the places of batches that were in doubt. */
  check(seen: SeenLog, nextOffsetMin: number, nowMs: number): void {
    const { startOffset, nextOffset, batches } = seen;
    if (startOffset < this.#startOffset)
      this.fail(`the log starts at ${startOffset} after it started at ${this.#startOffset}`);
    if (startOffset < this.#deletedTo)
      this.fail(`the log starts at ${startOffset}, and records below ${this.#deletedTo} were deleted`);
    if (startOffset > Math.max(this.#retainedFrom, this.#deletedToMax))
      this.fail(`the log starts at ${startOffset}, and nothing may be gone above ${this.#retainedFrom}`);
    if (nextOffset < nextOffsetMin)
      this.fail(`the log ends at ${nextOffset}, before ${nextOffsetMin}, which was acknowledged`);
    this.#startOffset = startOffset;
    this.reaches(nextOffset);
    this.#checkOffsets(seen);
    const bases = new Set<number>();
    for (const batch of batches) {
      if (batch.end !== undefined) this.#hasMarkers = true;
      else bases.add(this.#checkBatch(batch));
    }
    this.#checkCommitted(seen);
    for (const [baseOffset, { id, records }] of this.#known) {
      if (baseOffset + records.length <= startOffset) this.#known.delete(baseOffset);
      else if (baseOffset < nextOffset && !bases.has(baseOffset)) this.fail(`${id} at ${baseOffset} is lost`);
    }
    this.#checkLateness(nowMs);
  }

  /** Batches follow each other, from the start to the end. */
  #checkOffsets({ startOffset, nextOffset, batches }: SeenLog): void {
    let offset = batches[0]?.baseOffset ?? nextOffset;
    if (offset > startOffset) this.fail(`the log starts at ${startOffset}, and its first batch at ${offset}`);
    for (const batch of batches) {
      if (batch.baseOffset !== offset)
        this.fail(`a batch at ${batch.baseOffset} follows one that ends at ${offset}`);
      offset = batch.nextOffset;
    }
    if (offset !== nextOffset) this.fail(`the last batch ends at ${offset} and the log at ${nextOffset}`);
  }

  #checkBatch({ baseOffset, nextOffset, records }: SeenBatch): number {
    const id = records[0]?.value?.split('.')[0] ?? '';
    const sent = this.#known.get(baseOffset) ?? [...this.#doubtful].find((candidate) => candidate.id === id);
    if (sent === undefined) this.fail(`${id} at ${baseOffset} is new, twice there, or in the wrong place`);
    if (sent.id !== id) this.fail(`${id} is at ${baseOffset}, where ${sent.id} was`);
    if (nextOffset - baseOffset !== sent.records.length)
      this.fail(`${id} has ${nextOffset - baseOffset} offsets`);
    for (const [index, { offset, key, value, timestampMs }] of records.entries()) {
      const expected = sent.records[index];
      const isSame =
        offset === baseOffset + index &&
        key === expected?.key &&
        value === expected.value &&
        timestampMs === sent.timestampMs;
      if (!isSame) this.fail(`record ${index} of ${id} is ${key}=${value} at ${offset}`);
    }
    if (records.length !== sent.records.length) this.fail(`${id} has ${records.length} records`);
    this.#place(sent, baseOffset);
    return baseOffset;
  }

  /** Reads as a consumer with `read_committed` does. */
  #checkCommitted({ batches, aborted, startOffset, stableOffset }: SeenLog): void {
    const queue = [...aborted];
    const hidden = new Set<number>();
    for (const { baseOffset, nextOffset, producerId, isTransactional, end } of batches) {
      if (baseOffset >= stableOffset) break;
      while (queue.length > 0 && queue[0]!.firstOffset < nextOffset) hidden.add(queue.shift()!.producerId);
      if (end !== undefined) {
        if (end === 'abort') hidden.delete(producerId);
        continue;
      }
      // One that was in doubt may be seen for the first time when the log already begins after it.
      if (nextOffset <= startOffset && !this.#known.has(baseOffset)) continue;
      const { id, transaction } = this.#known.get(baseOffset)!;
      if (isTransactional !== (transaction !== undefined)) this.fail(`${id} changed its kind`);
      if (transaction === undefined) continue;
      const isVisible = !hidden.has(producerId);
      if (transaction.state === 'unknown') transaction.state = isVisible ? 'committed' : 'aborted';
      // A transaction that is open for its client may have reached its timeout.
      if (isVisible !== (transaction.state === 'committed'))
        this.fail(`${id} is ${isVisible ? 'visible' : 'hidden'}, and its transaction ${transaction.state}`);
    }
  }

  /** Nothing is there that retention should have removed long ago, apart from one pointer that holds more. */
  #checkLateness(nowMs: number): void {
    const overdue = this.overdueBytes(nowMs);
    if (overdue > mergeLimits.pointerBytesMax)
      this.fail(`${overdue} bytes are there that retention should have removed`);
  }

  overdueBytes(nowMs: number): number {
    const { retentionMs, retentionBytes } = this.rule;
    if (nowMs - this.retainedSinceMs < retentionLatenessMs) return 0;
    const batches = [...this.#known.values()].sort((a, b) => a.baseOffset! - b.baseOffset!);
    const expiredMs = nowMs - retentionLatenessMs - retentionMs;
    // Those that came since may not have been looked at.
    const countedBytes = ({ bytes, timestampMs }: SentBatch) =>
      timestampMs < nowMs - retentionLatenessMs ? bytes : 0;
    let bytesAfter = sum(batches, countedBytes);
    let overdue = 0;
    for (const batch of batches) {
      const { bytes, timestampMs } = batch;
      bytesAfter -= countedBytes(batch);
      const hasExpired = retentionMs >= 0 && timestampMs < expiredMs;
      if (!hasExpired && !(retentionBytes >= 0 && bytesAfter >= retentionBytes + mergeLimits.pointerBytesMax))
        return overdue;
      overdue += bytes;
    }
    return overdue;
  }

  #place(batch: SentBatch, baseOffset: number): void {
    const there = this.#known.get(baseOffset);
    if (there !== undefined && there !== batch)
      this.fail(`${batch.id} is at ${baseOffset}, and so is ${there.id}`);
    batch.baseOffset = baseOffset;
    this.#doubtful.delete(batch);
    const nextOffset = baseOffset + batch.records.length;
    if (nextOffset > this.#startOffset) this.#known.set(baseOffset, batch);
    this.reaches(nextOffset);
  }
}

function sum<Item>(items: Iterable<Item>, of: (item: Item) => number): number {
  let total = 0;
  for (const item of items) total += of(item);
  return total;
}
