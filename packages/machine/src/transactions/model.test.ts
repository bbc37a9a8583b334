import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterChange } from '@weir/cluster';
import fc from 'fast-check';
import { BegunSnapshot } from '../../testing/begun-snapshot.ts';
import { Cluster } from '../../testing/cluster.ts';
import { checkRandomRuns } from '../../testing/random-runs.ts';
import { TestProducer } from '../../testing/transactional-producer.ts';
import { ClusterMachine } from '../machine.ts';

/**
 * Random transactions against a simple model: a list of records per partition, and how each transaction ended. A
 * read-committed consumer of the machine must see what the model predicts, and the model predicts every answer of the
 * machine.
 */

const partitionCount = 2;
const timeoutMs = 1000;

interface ModelTransaction {
  readonly startMs: number;
  readonly partitions: Set<number>;
  readonly offsets: number[];
  outcome: 'open' | 'commit' | 'abort';
}

interface ModelBatch {
  readonly baseOffset: number;
  readonly records: number;
  readonly producerId: number;
  readonly transaction: ModelTransaction | undefined;
  /** Whether it is the marker of its transaction. */
  readonly isMarker: boolean;
}

/** The model's state of a transactional id. */
class ModelId {
  epoch = -1;
  open: ModelTransaction | undefined;
  last: 'Empty' | 'commit' | 'abort' = 'Empty';
  connection = '';
}

type Action =
  | { kind: 'start'; id: number; goesOn: boolean }
  | { kind: 'add'; id: number; partition: number }
  | { kind: 'send'; id: number; partition: number; records: number }
  | { kind: 'offset'; id: number }
  | { kind: 'end'; id: number; isCommit: boolean; isAnswered: boolean }
  /** Saves the client's state for `lateEnd` and `lateSend`, and lets it continue on another connection. */
  | { kind: 'reconnect'; id: number }
  | { kind: 'lateEnd'; id: number; isCommit: boolean }
  | { kind: 'lateSend'; id: number; partition: number }
  | { kind: 'plain'; partition: number; records: number }
  | { kind: 'wait'; ms: number }
  | { kind: 'expire' }
  /** Begins a snapshot that is completed later and must be of this moment. */
  | { kind: 'save' }
  | { kind: 'restore' };

const id = fc.nat(2);
const partition = fc.nat(partitionCount - 1);
const records = fc.integer({ min: 1, max: 3 });
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('start' as const), id, goesOn: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('add' as const), id, partition }) },
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('send' as const), id, partition, records }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('offset' as const), id }) },
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      id,
      isCommit: fc.boolean(),
      isAnswered: fc.constantFrom(true, true, true, false),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reconnect' as const), id }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('lateEnd' as const), id, isCommit: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('lateSend' as const), id, partition }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('plain' as const), partition, records }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(10, 600) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('save' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restore' as const) }) },
);

class Run {
  readonly cluster = new Cluster();
  readonly logs: ModelBatch[][] = Array.from({ length: partitionCount }, () => []);
  readonly ids = [new ModelId(), new ModelId(), new ModelId()];
  readonly clients: TestProducer[] = [];
  readonly late = new Map<number, TestProducer>();
  readonly stable = new Float64Array(partitionCount);
  committedOffset = -1;
  readonly #snapshot = new BegunSnapshot();
  #connections = 0;
  #nextOffset = 0;

  constructor() {
    this.cluster.create('a', partitionCount);
    this.cluster.create('source', 1);
    for (const number of [0, 1, 2]) {
      // The second client has no epoch per transaction.
      this.clients.push(new TestProducer(this.cluster, `tx-${number}`, { bumps: number !== 1, timeoutMs }));
      this.take({ kind: 'start', id: number, goesOn: false });
    }
  }

  end(partition: number): number {
    const last = this.logs[partition]!.at(-1);
    return last === undefined ? 0 : last.baseOffset + last.records;
  }

  take(action: Action): void {
    switch (action.kind) {
      case 'start':
        this.#start(action.id, action.goesOn);
        return;
      case 'add':
        this.#add(action.id, action.partition);
        return;
      case 'send':
        this.#send(this.clients[action.id]!, action.id, action.partition, action.records);
        return;
      case 'offset':
        this.#commitOffset(action.id);
        return;
      case 'end':
        this.#end(this.clients[action.id]!, action.id, action.isCommit, action.isAnswered);
        return;
      case 'reconnect': {
        const client = this.clients[action.id]!;
        this.late.set(action.id, client.ghost());
        client.connection = `connection-${this.#connections++}`;
        return;
      }
      case 'lateEnd': {
        const late = this.late.get(action.id);
        if (late !== undefined) this.#end(late, action.id, action.isCommit, false);
        // An abandoned connection delivers each request once.
        this.late.delete(action.id);
        return;
      }
      case 'lateSend': {
        const late = this.late.get(action.id);
        if (late === undefined || late.epoch === this.ids[action.id]!.epoch) return;
        assert.equal(late.send('a', action.partition), 'INVALID_PRODUCER_EPOCH');
        return;
      }
      case 'plain': {
        const { partition, records } = action;
        const [offset] = this.cluster.commit({ topicId: 'a', partition, records });
        assert.equal(offset, this.end(partition));
        this.#append(partition, records, -1, undefined, false);
        return;
      }
      case 'wait':
        this.cluster.nowMs += action.ms;
        return;
      case 'expire':
        this.#expire();
        return;
      case 'save':
        this.#snapshot.begin(this.cluster.machine);
        return;
      case 'restore': {
        this.#snapshot.finish();
        // A follower of the journal and a machine restored from a snapshot have the same state.
        const saved = this.cluster.saved();
        assert.ok(Buffer.concat(this.cluster.replay().machine.save()).equals(saved), 'states differ');
        this.cluster.machine = ClusterMachine.restore(saved);
        assert.ok(this.cluster.saved().equals(saved), 'a restored snapshot differs from the saved state');
        return;
      }
    }
  }

  #start(number: number, goesOn: boolean): void {
    const model = this.ids[number]!;
    const client = this.clients[number]!;
    const isCurrent = client.epoch === model.epoch;
    const isRepeated = goesOn && client.epoch >= 0 && !isCurrent;
    if (isRepeated) {
      // After an end with a lost answer the client learns the epoch; after a timeout it is fenced.
      const error = client.init(true);
      if (error === 'NONE') {
        assert.ok(client.bumps && client.epoch === model.epoch && model.open === undefined);
        model.last = 'Empty';
      } else assert.equal(error, 'PRODUCER_FENCED');
      return;
    }
    assert.equal(client.init(goesOn && client.epoch >= 0), 'NONE');
    this.#close(model, false, client.producerId);
    model.epoch++;
    model.last = 'Empty';
    assert.equal(client.epoch, model.epoch);
  }

  #add(number: number, partition: number): void {
    const model = this.ids[number]!;
    const client = this.clients[number]!;
    if (client.bumps) return;
    const isCurrent = client.epoch === model.epoch;
    assert.equal(client.add(['a', partition]), isCurrent ? 'NONE' : 'PRODUCER_FENCED');
    if (!isCurrent) return;
    this.#open(model).partitions.add(partition);
    model.connection = client.connection;
  }

  #send(client: TestProducer, number: number, partition: number, records: number): void {
    const model = this.ids[number]!;
    const result = client.send('a', partition, records);
    const isPart = client.bumps || model.open?.partitions.has(partition) === true;
    if (client.epoch !== model.epoch) assert.equal(result, 'INVALID_PRODUCER_EPOCH');
    else assert.equal(result, isPart ? this.end(partition) : 'INVALID_TXN_STATE');
    if (typeof result !== 'number') return;
    const transaction = this.#open(model);
    transaction.partitions.add(partition);
    this.#append(partition, records, client.producerId, transaction, false);
  }

  #commitOffset(number: number): void {
    const model = this.ids[number]!;
    const client = this.clients[number]!;
    const offset = this.#nextOffset++;
    const isCurrent = client.epoch === model.epoch;
    if (!client.bumps) {
      assert.equal(client.addGroup('g'), isCurrent ? 'NONE' : 'PRODUCER_FENCED');
      if (isCurrent) model.connection = client.connection;
    }
    assert.equal(client.commitOffset('g', 'source', offset), isCurrent ? 'NONE' : 'PRODUCER_FENCED');
    if (isCurrent) this.#open(model).offsets.push(offset);
  }

  #end(client: TestProducer, number: number, isCommit: boolean, isAnswered: boolean): void {
    const model = this.ids[number]!;
    const outcome = isCommit ? 'commit' : 'abort';
    const before = model.epoch;
    const expected = this.#predictEnd(client, model, outcome);
    const error = isAnswered ? client.end(isCommit) : client.endWithoutAnswer(isCommit);
    assert.equal(error, expected.error);
    if (!expected.isDone) return;
    this.#close(model, isCommit, client.producerId);
    model.last = outcome;
    if (client.bumps) model.epoch++;
    if (isAnswered) assert.equal(client.epoch, client.bumps ? before + 1 : before);
  }

  #predictEnd(
    client: TestProducer,
    model: ModelId,
    outcome: 'commit' | 'abort',
  ): { error: string; isDone: boolean } {
    const unchanged = (error: string) => ({ error, isDone: false });
    if (client.bumps) {
      const isRepeated =
        client.epoch === model.epoch - 1 && model.open === undefined && model.last !== 'Empty';
      if (isRepeated) return unchanged(model.last === outcome ? 'NONE' : 'INVALID_TXN_STATE');
      if (client.epoch !== model.epoch) return unchanged('PRODUCER_FENCED');
      return model.open !== undefined || outcome === 'abort'
        ? { error: 'NONE', isDone: true }
        : unchanged('INVALID_TXN_STATE');
    }
    if (client.epoch !== model.epoch) return unchanged('PRODUCER_FENCED');
    if (model.open === undefined) return unchanged(model.last === outcome ? 'NONE' : 'INVALID_TXN_STATE');
    if (model.connection === client.connection) return { error: 'NONE', isDone: true };
    model.connection = client.connection;
    return unchanged('CONCURRENT_TRANSACTIONS');
  }

  #expire(): void {
    const due = this.ids.filter(
      ({ open }) => open !== undefined && open.startMs + timeoutMs <= this.cluster.nowMs,
    );
    assert.equal(this.cluster.execute({ kind: 'expireTransactions' }).aborted, due.length);
    // In order of opening.
    due.sort((one, other) => this.#opened.indexOf(one.open!) - this.#opened.indexOf(other.open!));
    for (const model of due) {
      this.#close(model, false, this.clients[this.ids.indexOf(model)]!.producerId);
      model.epoch++;
      model.last = 'abort';
    }
  }

  readonly #opened: ModelTransaction[] = [];

  #open(model: ModelId): ModelTransaction {
    if (model.open === undefined) {
      const { nowMs } = this.cluster;
      model.open = { startMs: nowMs, partitions: new Set(), offsets: [], outcome: 'open' };
      this.#opened.push(model.open);
    }
    return model.open;
  }

  #close(model: ModelId, isCommit: boolean, producerId: number): void {
    const transaction = model.open;
    model.open = undefined;
    model.connection = '';
    if (transaction === undefined) return;
    transaction.outcome = isCommit ? 'commit' : 'abort';
    for (const partition of transaction.partitions) this.#append(partition, 1, producerId, transaction, true);
    const offset = transaction.offsets.at(-1);
    // Of several offsets for one partition, the one sent last takes effect, whenever its transaction commits.
    if (isCommit && offset !== undefined) this.committedOffset = Math.max(this.committedOffset, offset);
  }

  #append(
    partition: number,
    records: number,
    producerId: number,
    transaction: ModelTransaction | undefined,
    isMarker: boolean,
  ): void {
    const baseOffset = this.end(partition);
    this.logs[partition]!.push({ baseOffset, records, producerId, transaction, isMarker });
  }

  compare(): void {
    for (let partition = 0; partition < partitionCount; partition++) {
      const log = this.logs[partition]!;
      const open = log.find(({ transaction }) => transaction?.outcome === 'open');
      const stable = open?.baseOffset ?? this.end(partition);
      assert.ok(stable >= this.stable[partition]!, 'the last stable offset moved back');
      this.stable[partition] = stable;
      for (const bytesMax of [0, 250, 100_000]) {
        for (const from of new Set([0, Math.floor(stable / 2), stable])) {
          const expected = log.filter(({ baseOffset, records, isMarker, transaction }) => {
            const isCommitted = transaction === undefined || transaction.outcome === 'commit';
            return !isMarker && isCommitted && baseOffset + records > from && baseOffset < stable;
          });
          assert.deepEqual(
            this.#readCommitted(partition, from, stable, bytesMax),
            expected.map(({ baseOffset }) => baseOffset),
          );
        }
      }
    }
    const { lastStableOffset, nextOffset } = this.cluster.machine.snapshotForFollowers();
    for (let partition = 0; partition < partitionCount; partition++) {
      assert.deepEqual(
        [lastStableOffset[partition], nextOffset[partition]],
        [this.stable[partition], this.end(partition)],
      );
    }
    const query = { groupId: 'g', requireStable: false, partitions: [{ topicId: 'source', partition: 0 }] };
    assert.equal(this.cluster.machine.fetchOffsets(query)[0]!.offset, this.committedOffset);
    const isPending = this.ids.some(({ open }) => open !== undefined && open.offsets.length > 0);
    const [strict] = this.cluster.machine.fetchOffsets({ ...query, requireStable: true });
    assert.equal(strict!.error, isPending ? 'UNSTABLE_OFFSET_COMMIT' : 'NONE');
    this.#compareChanges();
  }

  /** Returns the base offsets of batches that a read-committed consumer sees, page by page. */
  #readCommitted(partition: number, from: number, stable: number, bytesMax: number): number[] {
    const visible: number[] = [];
    let next = from;
    while (next < stable) {
      const [answer] = this.cluster.machine.findBatches([
        { topicId: 'a', partition, offset: next, bytesMax },
      ]);
      const { pointers, aborted, lastStableOffset } = answer!;
      assert.equal(lastStableOffset, stable);
      const end = Math.min(pointers.nextOffset.at(-1)!, stable);
      const waiting = Array.from(aborted?.firstOffset ?? [], (first, row) => ({
        first,
        producerId: aborted!.producerId[row]!,
      }));
      const ignored = new Set<number>();
      for (const batch of this.logs[partition]!) {
        const lastOffset = batch.baseOffset + batch.records - 1;
        if (lastOffset < next || batch.baseOffset >= end) continue;
        while (waiting.length > 0 && waiting[0]!.first <= lastOffset)
          ignored.add(waiting.shift()!.producerId);
        if (batch.isMarker) {
          const row = pointers.baseOffset.indexOf(batch.baseOffset);
          const marker = pointers.markers!.row.indexOf(row);
          const isCommit = pointers.markers!.isCommit[marker] === 1;
          assert.equal(isCommit, batch.transaction!.outcome === 'commit');
          assert.equal(pointers.markers!.producerId[marker], batch.producerId);
          if (!isCommit) ignored.delete(batch.producerId);
        } else if (batch.transaction === undefined || !ignored.has(batch.producerId)) {
          visible.push(batch.baseOffset);
        }
      }
      next = end;
    }
    return visible;
  }

  /** A follower knows the aborted transactions and the stable offset from changes alone. */
  #compareChanges(): void {
    const { changes } = this.cluster.replay();
    for (let partition = 0; partition < partitionCount; partition++) {
      const own = changes.filter(
        (change): change is Extract<ClusterChange, { kind: 'appended' }> =>
          change.kind === 'appended' && change.topicId === 'a' && change.partition === partition,
      );
      assert.equal(own.at(-1)?.lastStableOffset ?? 0, this.stable[partition]);
      const received = own.flatMap(({ aborted }) => Array.from(aborted?.firstOffset ?? []));
      const log = this.logs[partition]!;
      const expected = log
        .filter(({ isMarker, transaction }) => isMarker && transaction!.outcome === 'abort')
        .flatMap(
          ({ transaction }) =>
            log.find((batch) => batch.transaction === transaction && !batch.isMarker) ?? [],
        );
      assert.deepEqual(
        received,
        expected.map(({ baseOffset }) => baseOffset),
      );
    }
  }
}

test('read-committed consumers see exactly what was committed, in random runs', () => {
  checkRandomRuns(action, () => new Run(), { numRuns: 200, last: [{ kind: 'restore' }] });
});
