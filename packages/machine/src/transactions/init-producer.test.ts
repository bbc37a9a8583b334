import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TransactionalProducerToInit } from '@weir/cluster';
import { Cluster } from '../../testing/cluster.ts';
import { TestProducer } from '../../testing/transactional-producer.ts';
import { producerEpochMax } from './transaction.ts';

const fresh = { transactionalId: 'tx', timeoutMs: 1000, producerId: -1, producerEpoch: -1 };

const refusals: [what: string, request: Partial<TransactionalProducerToInit>, error: string][] = [
  ['an empty id', { transactionalId: '' }, 'INVALID_REQUEST'],
  ['an id beyond the limit', { transactionalId: 'x'.repeat(2049) }, 'INVALID_REQUEST'],
  ['a producer id without an epoch', { producerId: 5 }, 'INVALID_REQUEST'],
  ['an epoch without a producer id', { producerEpoch: 5 }, 'INVALID_REQUEST'],
  ['a zero timeout', { timeoutMs: 0 }, 'INVALID_TRANSACTION_TIMEOUT'],
  ['a negative timeout', { timeoutMs: -1 }, 'INVALID_TRANSACTION_TIMEOUT'],
  ['a fractional timeout', { timeoutMs: 0.5 }, 'INVALID_TRANSACTION_TIMEOUT'],
  ['a timeout above the limit of the cluster', { timeoutMs: 900_001 }, 'INVALID_TRANSACTION_TIMEOUT'],
];

for (const [what, request, error] of refusals) {
  test(`${what} is refused and changes nothing`, () => {
    const cluster = new Cluster();
    const before = cluster.saved();
    const answer = cluster.execute({ kind: 'initTransactionalProducer', request: { ...fresh, ...request } });
    assert.deepEqual([answer.error, answer.producerId, answer.producerEpoch], [error, -1, -1]);
    assert.ok(answer.message !== null);
    assert.ok(cluster.saved().equals(before));
  });
}

test('an unknown transactional id gets a new producer id, even if the request names another', () => {
  const cluster = new Cluster();
  const first = cluster.execute({ kind: 'initTransactionalProducer', request: fresh });
  const other = cluster.execute({
    kind: 'initTransactionalProducer',
    request: { ...fresh, transactionalId: 'other', producerId: 77, producerEpoch: 3 },
  });
  assert.deepEqual([first.producerId, first.producerEpoch], [1, 0]);
  assert.deepEqual([other.producerId, other.producerEpoch], [2, 0]);
  assert.equal(cluster.execute({ kind: 'allocateProducerIds', count: 1 }), 3);
});

/** A case, the producer id and epoch of the request, and the result: an error, or producer id and epoch. */
const epochs: [what: string, ask: [producerId: number, epoch: number], gets: string][] = [
  ['a new producer', [-1, -1], '1/6'],
  ['the present producer', [1, 5], '1/6'],
  ['the present producer that lost the last answer', [1, 4], '1/5'],
  ['a producer with an older epoch', [1, 3], 'PRODUCER_FENCED'],
  ['a producer with a future epoch', [1, 6], 'PRODUCER_FENCED'],
  ['another producer', [2, 5], 'PRODUCER_FENCED'],
];

for (const [what, [producerId, producerEpoch], gets] of epochs) {
  test(`at epoch 5, ${what} gets ${gets}`, () => {
    const cluster = new Cluster();
    const producer = new TestProducer(cluster);
    producer.init();
    for (let epoch = 0; epoch < 5; epoch++) assert.equal(producer.init(true), 'NONE');
    assert.equal(producer.epoch, 5);
    const request = { ...fresh, producerId, producerEpoch };
    const answer = cluster.execute({ kind: 'initTransactionalProducer', request });
    assert.equal(
      answer.error === 'NONE' ? `${answer.producerId}/${answer.producerEpoch}` : answer.error,
      gets,
    );
  });
}

test('a producer that takes the id fences its predecessor in every call', () => {
  const cluster = new Cluster();
  cluster.create('a');
  for (const bumps of [true, false]) {
    const old = new TestProducer(cluster, `tx-${bumps}`, { bumps });
    old.init();
    old.add(['a', 0]);
    old.send('a');
    const zombie = old.ghost();
    const next = new TestProducer(cluster, `tx-${bumps}`, { bumps });
    assert.equal(next.init(), 'NONE');
    assert.deepEqual([next.producerId, next.epoch], [old.producerId, old.epoch + 1]);
    assert.equal(zombie.send('a'), 'INVALID_PRODUCER_EPOCH');
    assert.equal(zombie.add(['a', 0]), 'PRODUCER_FENCED');
    assert.equal(zombie.addGroup('g'), 'PRODUCER_FENCED');
    assert.equal(zombie.commitOffset('g', 'a', 1), 'PRODUCER_FENCED');
    assert.equal(zombie.end(true), 'PRODUCER_FENCED');
    assert.equal(zombie.end(false), 'PRODUCER_FENCED');
    assert.equal(zombie.init(true), 'PRODUCER_FENCED');
    assert.equal(typeof (next.add(['a', 0]) && next.send('a')), 'number');
    assert.equal(next.end(true), 'NONE');
  }
});

test('the open transaction is aborted in the same entry, without a retry', () => {
  const cluster = new Cluster();
  cluster.create('a', 2);
  const old = new TestProducer(cluster);
  old.init();
  assert.equal(old.send('a', 0, 3), 0);
  const entries = cluster.journal.length;
  const next = new TestProducer(cluster);
  assert.equal(next.init(), 'NONE');
  assert.equal(cluster.journal.length, entries + 1);
  const [answer] = cluster.machine.findBatches([{ topicId: 'a', partition: 0, offset: 0, bytesMax: 1000 }]);
  assert.equal(answer!.lastStableOffset, 4);
  assert.deepEqual([...answer!.aborted!.firstOffset], [0]);
  assert.deepEqual([...answer!.pointers.markers!.producerEpoch], [1]);
});

test('when the epochs are used up, the producer gets another id, even if it retries', () => {
  for (const goesOn of [true, false]) {
    const cluster = new Cluster();
    const producer = new TestProducer(cluster);
    producer.init();
    for (let epoch = 0; epoch < producerEpochMax; epoch++) producer.init(true);
    assert.deepEqual([producer.producerId, producer.epoch], [1, producerEpochMax]);
    const before = producer.ghost();
    assert.equal(producer.init(goesOn), 'NONE');
    assert.deepEqual([producer.producerId, producer.epoch], [2, 0]);
    assert.equal(before.init(true), goesOn ? 'NONE' : 'PRODUCER_FENCED');
    if (goesOn) assert.deepEqual([before.producerId, before.epoch], [2, 0]);
    assert.equal(producer.init(true), 'NONE');
    assert.deepEqual([producer.producerId, producer.epoch], [2, 1]);
  }
});

test('beyond the limit the id that was idle longest is removed, but none with an open transaction', () => {
  const cluster = new Cluster({ transactionalIdsMax: 2 });
  cluster.create('a');
  const open = new TestProducer(cluster, 'open');
  open.init();
  open.send('a');
  const idle = new TestProducer(cluster, 'idle');
  idle.init();
  const third = new TestProducer(cluster, 'third');
  assert.equal(third.init(), 'NONE');
  assert.equal(idle.end(false), 'INVALID_PRODUCER_ID_MAPPING');
  assert.equal(open.end(true), 'NONE');
  third.send('a');
  open.send('a');
  assert.equal(new TestProducer(cluster, 'fourth').init(), 'POLICY_VIOLATION');
  assert.equal(cluster.machine.stats().transactionalIds, 2);
});

test('a retry that changes nothing writes no entry', () => {
  const cluster = new Cluster();
  const producer = new TestProducer(cluster);
  producer.init();
  const before = producer.ghost();
  producer.init(true);
  const entries = cluster.journal.length;
  assert.equal(before.init(true), 'NONE');
  assert.deepEqual([before.producerId, before.epoch], [1, 1]);
  assert.equal(cluster.journal.length, entries);
});
