import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BegunSnapshot } from '../../testing/begun-snapshot.ts';
import { Cluster } from '../../testing/cluster.ts';
import { copiedFile, type SourceBatch } from '../../testing/copied-file.ts';
import { checkRandomRuns } from '../../testing/random-runs.ts';
import { ClusterMachine } from '../machine.ts';

/**
 * A source writes, compacts and loses records; agents copy it, some of them late and twice, and leaders change. The
 * copy must read like what was copied of the source, and a producer must find its window.
 */
type Action =
  | { kind: 'write'; producer: number; isTransactional: boolean; records: number; gap: number }
  | { kind: 'end'; producer: number; isCommit: boolean }
  /** From how far behind the end of the copy, with how many batches. */
  | { kind: 'copy'; behind: number; count: number; isRepeated: boolean }
  | { kind: 'raiseStart'; part: number }
  | { kind: 'failover' }
  | { kind: 'saveSlowly' };

const producer = fc.nat(2);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      producer,
      isTransactional: fc.boolean(),
      records: fc.integer({ min: 1, max: 3 }),
      gap: fc.nat(2),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('end' as const), producer, isCommit: fc.boolean() }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('copy' as const),
      behind: fc.constantFrom(0, 0, 0, 1),
      count: fc.integer({ min: 1, max: 4 }),
      isRepeated: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('raiseStart' as const), part: fc.nat(12) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('failover' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('saveSlowly' as const) }) },
);

type Batch = SourceBatch & Required<Pick<SourceBatch, 'kind' | 'producerId'>>;

interface Aborted {
  readonly producerId: number;
  readonly firstOffset: number;
  readonly lastOffset: number;
}

class Run {
  readonly cluster = new Cluster();
  readonly #standby = ClusterMachine.empty('vci_test');
  readonly #begun = new BegunSnapshot();
  #applied = 0;
  #files = 0;
  #source: Batch[] = [];
  #sourceEnd = 0;
  readonly #sequences = new Map<number, number>();
  readonly #open = new Set<number>();
  /** What was copied, and is still in the log. */
  #copied: Batch[] = [];
  #start = 0;
  #end = 0;

  constructor() {
    const topic = {
      name: 't',
      sourceTopic: 't',
      sourceTopicId: '',
      configs: {},
      logStarts: Float64Array.of(0),
    };
    this.cluster.execute({ kind: 'manageTopics', pipelineId: 'p', topics: [topic], topicIds: ['t'] });
  }

  take(action: Action): void {
    switch (action.kind) {
      case 'write':
        this.#write(action);
        break;
      case 'end':
        if (!this.#open.delete(action.producer)) return;
        this.#add({ kind: action.isCommit ? 'commitMarker' : 'abortMarker', producerId: action.producer }, 1);
        break;
      case 'copy':
        this.#copy(action);
        break;
      case 'raiseStart':
        this.#raiseStart(action.part);
        break;
      case 'failover':
        this.#begun.finish();
        this.cluster.machine = ClusterMachine.restore(this.cluster.saved(), this.cluster.limits);
        break;
      case 'saveSlowly':
        this.#begun.begin(this.cluster.machine);
        break;
    }
  }

  #write({ producer, isTransactional, records, gap }: Extract<Action, { kind: 'write' }>): void {
    // Records that the source has compacted before they were copied.
    this.#sourceEnd += gap;
    const sequence = this.#sequences.get(producer) ?? 0;
    this.#sequences.set(producer, sequence + records);
    const isOpen = isTransactional || this.#open.has(producer);
    if (isOpen) this.#open.add(producer);
    this.#add({ kind: isOpen ? 'transactional' : 'plain', producerId: producer, sequence }, records);
  }

  #add(batch: Omit<Batch, 'baseOffset' | 'nextOffset'>, span: number): void {
    const baseOffset = this.#sourceEnd;
    this.#sourceEnd += span;
    this.#source.push({ ...batch, baseOffset, nextOffset: this.#sourceEnd });
  }

  #copy({ behind, count, isRepeated }: Extract<Action, { kind: 'copy' }>): void {
    const expectedOffset = Math.max(0, this.#end - behind);
    const batches = this.#source.filter(({ baseOffset }) => baseOffset >= expectedOffset).slice(0, count);
    if (batches.length === 0) return;
    const file = copiedFile(++this.#files, [{ topicId: 't', expectedOffset, batches }]);
    for (let times = isRepeated ? 2 : 1; times > 0; times--)
      this.cluster.execute({ kind: 'appendCopied', file });
    if (expectedOffset !== this.#end) return;
    this.#copied.push(...batches);
    this.#end = batches.at(-1)!.nextOffset;
  }

  #raiseStart(part: number): void {
    const logStartOffset = this.#start + part;
    if (logStartOffset > this.#sourceEnd) return;
    const start = { topicId: 't', partition: 0, logStartOffset, endOffset: this.#end };
    this.cluster.execute({ kind: 'moveManagedLogStarts', pipelineId: 'p', starts: [start] });
    this.#start = logStartOffset;
    // The source is beyond what was copied: everything before is gone, also what was open.
    if (logStartOffset > this.#end) {
      this.#end = logStartOffset;
      this.#copied = [];
    }
    this.#source = this.#source.filter(
      ({ baseOffset }) => baseOffset >= this.#start || baseOffset < this.#end,
    );
  }

  compare(): void {
    const { cluster } = this;
    this.#begun.finish();
    for (; this.#applied < cluster.journal.length; this.#applied++)
      this.#standby.apply(cluster.journal[this.#applied]!);
    assert.ok(Buffer.concat(this.#standby.save()).equals(cluster.saved()), 'a follower differs');
    const { open, aborted } = this.#transactions();
    const [answer] = cluster.machine.findBatches([
      { topicId: 't', partition: 0, offset: this.#start, bytesMax: 1e9 },
    ]);
    const lastStableOffset = Math.max(Math.min(this.#end, ...open.values()), this.#start);
    assert.deepEqual(
      [answer!.logStartOffset, answer!.lastStableOffset, answer!.nextOffset],
      [this.#start, lastStableOffset, this.#end],
    );
    const { pointers } = answer!;
    for (let row = 0; row < pointers.fileId.length; row++) {
      const next = row + 1 < pointers.fileId.length ? pointers.baseOffset[row + 1] : this.#end;
      assert.equal(pointers.nextOffset[row], next, 'pointers tile the log');
    }
    const found = answer!.aborted;
    const rows = Array.from(found?.producerId ?? [], (producerId, row) => ({
      producerId,
      firstOffset: found!.firstOffset[row]!,
      lastOffset: found!.lastOffset[row]!,
    }));
    const expected = aborted.filter(({ lastOffset }) => lastOffset >= this.#start);
    if (pointers.fileId.length > 0)
      assert.deepEqual(
        rows,
        expected.toSorted((a, b) => a.firstOffset - b.firstOffset),
      );
    for (const producerId of [0, 1, 2]) this.#compareProducer(producerId);
  }

  #transactions(): { open: Map<number, number>; aborted: Aborted[] } {
    const open = new Map<number, number>();
    const aborted: Aborted[] = [];
    for (const { kind, producerId, baseOffset } of this.#copied) {
      if (kind === 'transactional' && !open.has(producerId)) open.set(producerId, baseOffset);
      const firstOffset = open.get(producerId);
      if (kind !== 'commitMarker' && kind !== 'abortMarker') continue;
      open.delete(producerId);
      if (kind === 'abortMarker' && firstOffset !== undefined)
        aborted.push({ producerId, firstOffset, lastOffset: baseOffset });
    }
    return { open, aborted };
  }

  #compareProducer(producerId: number): void {
    const last = this.#copied.findLast(
      (batch) => batch.producerId === producerId && batch.sequence !== undefined,
    );
    const [answer] = this.cluster.machine.describeProducers([{ topicId: 't', partition: 0 }]);
    const known = answer!.producers.find((one) => one.producerId === producerId);
    if (last === undefined || last.nextOffset <= this.#start) return;
    assert.equal(known?.lastSequence, last.sequence! + (last.nextOffset - last.baseOffset) - 1);
  }
}

test('a copy reads like its source, whoever copies it', () => {
  checkRandomRuns(action, () => new Run(), { numRuns: 150 });
});
