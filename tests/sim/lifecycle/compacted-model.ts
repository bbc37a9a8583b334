import { LogModel } from './log-model.ts';
import type { SeenBatch, SeenLog } from './log-reading.ts';
import type { SentBatch, Transaction } from './partition-model.ts';
import { dayMs, hourMs } from './setting.ts';

interface SentRecord {
  readonly key: string | null;
  /** Null for a tombstone. */
  readonly value: string | null;
  readonly timestampMs: number;
  readonly transaction: Transaction | undefined;
}

export const deleteRetentionMs = 6 * hourMs;
export const compactionLagMs = 12 * hourMs;
/** How much later than its lag a compaction may be: a job that failed waits for hours. */
const latenessMs = 2 * dayMs;

/** What a compacted partition must contain: the rules of Kafka's cleaner, by what consumers can see of them. */
export class CompactedModel extends LogModel {
  /** All records whose place is known, by offset. */
  readonly #records = new Map<number, SentRecord>();
  readonly #doubtful = new Set<SentBatch>();
  #seenBytes = 0;

  /** As far as readers saw: `check` decides whether there is too much. */
  get requiredBytes(): number {
    return this.#seenBytes;
  }

  sent(batch: SentBatch): void {
    this.#doubtful.add(batch);
  }

  acknowledged(batch: SentBatch, baseOffset: number): void {
    if (batch.state === 'refused') this.fail(`${batch.id} was refused, and then acknowledged`);
    batch.state = 'acknowledged';
    this.#place(batch, baseOffset);
  }

  refused(batch: SentBatch): void {
    if (batch.state === 'doubt') return;
    batch.state = 'refused';
    this.#doubtful.delete(batch);
  }

  /** Checks that each record is the one that was sent, and that the table of latest values is that of the records. */
  check(seen: SeenLog, nextOffsetMin: number, nowMs: number): void {
    const { startOffset, nextOffset, batches, stableOffset } = seen;
    if (startOffset !== 0) this.fail(`the log starts at ${startOffset}, and nothing deletes its head`);
    if (nextOffset < nextOffsetMin) this.fail(`the log ends at ${nextOffset}, before ${nextOffsetMin}`);
    this.reaches(nextOffset);
    this.#seenBytes = seen.pages.reduce(
      (sum, { pointers }) => sum + pointers.byteLength.reduce((a, b) => a + b, 0),
      0,
    );
    let offset = 0;
    for (const batch of batches) {
      if (batch.baseOffset < offset)
        this.fail(`a batch at ${batch.baseOffset} comes after one that ends at ${offset}`);
      this.#checkRecords(batch);
      offset = batch.nextOffset;
    }
    if (offset !== nextOffset) this.fail(`the last batch ends at ${offset} and the log at ${nextOffset}`);
    this.#checkTable(this.#committedOffsets(seen), stableOffset, nowMs);
  }

  #checkRecords({ baseOffset, records }: SeenBatch): void {
    for (const { offset, key, value, timestampMs } of records) {
      const seen = { key, value, timestampMs };
      const sent = this.#records.get(offset) ?? this.#learn(baseOffset, seen, offset);
      if (sent?.key !== key || sent.value !== value || sent.timestampMs !== timestampMs)
        this.fail(`${key}=${value} is at ${offset}, where ${sent?.key}=${sent?.value} was sent`);
    }
  }

  /** Finds the batch of a record among those in doubt: by the id in its value, or by all that a tombstone has. */
  #learn(
    baseOffset: number,
    { key, value, timestampMs }: Pick<SentRecord, 'key' | 'value' | 'timestampMs'>,
    offset: number,
  ): SentRecord | undefined {
    const id = value?.split('.')[0];
    for (const batch of this.#doubtful) {
      const sent = batch.records[offset - baseOffset];
      const isTombstone = sent?.value === null && sent.key === key && batch.timestampMs === timestampMs;
      if (id === undefined ? !isTombstone : batch.id !== id) continue;
      this.#place(batch, baseOffset);
      return this.#records.get(offset);
    }
    return undefined;
  }

  /** The offsets that a consumer with `read_committed` gets. */
  #committedOffsets({ batches, aborted, stableOffset }: SeenLog): Set<number> {
    const queue = [...aborted];
    const hidden = new Set<number>();
    const visible = new Set<number>();
    for (const { baseOffset, nextOffset, producerId, isTransactional, end, records } of batches) {
      if (baseOffset >= stableOffset) break;
      while (queue.length > 0 && queue[0]!.firstOffset < nextOffset) hidden.add(queue.shift()!.producerId);
      if (end === 'abort') hidden.delete(producerId);
      if (end !== undefined) continue;
      const isVisible = !(isTransactional && hidden.has(producerId));
      for (const { offset } of records) {
        const { key, value, transaction } = this.#records.get(offset)!;
        if (transaction?.state === 'unknown') transaction.state = isVisible ? 'committed' : 'aborted';
        if (isVisible !== (transaction === undefined || transaction.state === 'committed'))
          this.fail(
            `${key}=${value} at ${offset} is ${isVisible ? 'visible' : 'hidden'}, its transaction ${transaction?.state}`,
          );
        if (isVisible) visible.add(offset);
      }
    }
    return visible;
  }

  #checkTable(visible: ReadonlySet<number>, stableOffset: number, nowMs: number): void {
    const latest = new Map<string, { readonly offset: number; readonly record: SentRecord }>();
    const uncertain = new Set<string>();
    const offsets = [...this.#records.keys()].sort((a, b) => a - b);
    for (const offset of offsets) {
      const record = this.#records.get(offset)!;
      if (offset >= stableOffset || record.key === null) continue;
      const state = record.transaction?.state ?? 'committed';
      if (state === 'unknown') uncertain.add(record.key);
      if (state !== 'committed') continue;
      uncertain.delete(record.key);
      const before = latest.get(record.key);
      const isLate = record.timestampMs < nowMs - compactionLagMs - latenessMs;
      if (before !== undefined && isLate && visible.has(before.offset))
        this.fail(`${record.key} is still at ${before.offset}, long after it was replaced at ${offset}`);
      latest.set(record.key, { offset, record });
    }
    for (const [key, { offset, record }] of latest) {
      const mayBeGone = record.value === null && record.timestampMs < nowMs - deleteRetentionMs + hourMs;
      if (!visible.has(offset) && !mayBeGone && !uncertain.has(key))
        this.fail(`${key}=${record.value} at ${offset} is lost, the latest of its key`);
    }
    for (const offset of visible) {
      const { key, value } = this.#records.get(offset)!;
      const last = latest.get(key!);
      if (last?.record.value === null && !visible.has(last.offset))
        this.fail(`${key}=${value} at ${offset} came back after it was deleted at ${last.offset}`);
    }
  }

  #place(batch: SentBatch, baseOffset: number): void {
    batch.baseOffset = baseOffset;
    this.#doubtful.delete(batch);
    for (const [index, { key, value }] of batch.records.entries()) {
      const { timestampMs, transaction } = batch;
      const there = this.#records.get(baseOffset + index);
      if (there !== undefined && there.value !== value)
        this.fail(`${batch.id} is at ${baseOffset}, where others are`);
      this.#records.set(baseOffset + index, { key, value, timestampMs, transaction });
    }
    this.reaches(baseOffset + batch.records.length);
  }
}
