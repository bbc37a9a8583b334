import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from '../../testing/cluster.ts';
import { TestProducer } from '../../testing/transactional-producer.ts';
import { producerEpochMax } from './transaction.ts';

function expire(cluster: Cluster) {
  return cluster.execute({ kind: 'expireTransactions' });
}

function opened(bumps: boolean, timeoutMs = 1000) {
  const cluster = new Cluster();
  cluster.create('a');
  const producer = new TestProducer(cluster, 'tx', { bumps, timeoutMs });
  producer.init();
  if (!bumps) producer.add(['a', 0]);
  producer.send('a');
  return { cluster, producer };
}

for (const bumps of [true, false]) {
  const kind = bumps ? 'with' : 'without';
  test(`a transaction that exceeds its timeout is aborted and its producer fenced, ${kind} an epoch for each`, () => {
    const { cluster, producer } = opened(bumps);
    cluster.nowMs += 999;
    assert.deepEqual(expire(cluster), { aborted: 0, forgottenIds: 0 });
    cluster.nowMs += 1;
    assert.deepEqual(expire(cluster), { aborted: 1, forgottenIds: 0 });
    assert.deepEqual(expire(cluster), { aborted: 0, forgottenIds: 0 });
    const [described] = cluster.machine.describeTransactions(['tx']);
    assert.deepEqual(
      [described!.state, described!.producerEpoch, described!.startMs],
      ['CompleteAbort', 1, -1],
    );
    const { lastStableOffset, nextOffset } = cluster.machine.snapshotForFollowers();
    assert.deepEqual([lastStableOffset[0], nextOffset[0]], [2, 2]);

    assert.equal(producer.send('a'), 'INVALID_PRODUCER_EPOCH');
    assert.equal(producer.add(['a', 0]), 'PRODUCER_FENCED');
    assert.equal(producer.init(true), 'PRODUCER_FENCED');
    assert.equal(producer.end(true), bumps ? 'INVALID_TXN_STATE' : 'PRODUCER_FENCED');
    // The transaction is already aborted, as the producer requested.
    assert.equal(producer.end(false), bumps ? 'NONE' : 'PRODUCER_FENCED');
    assert.equal(producer.epoch, bumps ? 1 : 0);
  });
}

test('the timeout runs from the first operation of the transaction, not from InitProducerId', () => {
  const cluster = new Cluster();
  cluster.create('a');
  const producer = new TestProducer(cluster, 'tx', { timeoutMs: 1000 });
  producer.init();
  cluster.nowMs += 5000;
  assert.equal(expire(cluster).aborted, 0);
  producer.send('a');
  cluster.nowMs += 600;
  producer.commitOffset('g', 'a', 1);
  cluster.nowMs += 600;
  assert.equal(expire(cluster).aborted, 1);
  assert.equal(cluster.machine.offsets.isPending('g', 0, 0), false);
});

test('the maximum epoch fences the last assigned one, and a new producer gets another id', () => {
  const cluster = new Cluster();
  cluster.create('a');
  const producer = new TestProducer(cluster, 'tx', { timeoutMs: 1000 });
  producer.init();
  for (let epoch = 0; epoch < producerEpochMax; epoch++) producer.init(true);
  producer.send('a');
  cluster.nowMs += 1000;
  assert.equal(expire(cluster).aborted, 1);
  assert.equal(cluster.machine.describeTransactions(['tx'])[0]!.producerEpoch, producerEpochMax + 1);
  assert.equal(producer.send('a'), 'INVALID_PRODUCER_EPOCH');
  assert.equal(producer.init(), 'NONE');
  assert.deepEqual([producer.producerId, producer.epoch], [2, 0]);
});

test('a transactional id expires after a week, and its producer must initialise again', () => {
  const { cluster, producer } = opened(true);
  producer.end(true);
  cluster.nowMs += 7 * 24 * 3_600_000 - 1;
  assert.equal(expire(cluster).forgottenIds, 0);
  cluster.nowMs += 1;
  assert.equal(expire(cluster).forgottenIds, 1);
  assert.equal(producer.send('a'), 'INVALID_PRODUCER_ID_MAPPING');
  assert.equal(producer.end(false), 'INVALID_PRODUCER_ID_MAPPING');
  assert.equal(producer.init(true), 'NONE');
  assert.equal(producer.producerId, 2);
});

test('one entry expires a limited number, and the next ones the rest', () => {
  const cluster = new Cluster({ expiredTransactionsPerCallMax: 2 });
  cluster.create('a');
  for (let number = 0; number < 5; number++) {
    const producer = new TestProducer(cluster, `tx-${number}`, { timeoutMs: 1000 });
    producer.init();
    producer.send('a');
  }
  cluster.nowMs += 1000;
  assert.deepEqual(
    [1, 2, 3, 4].map(() => expire(cluster).aborted),
    [2, 2, 1, 0],
  );
  cluster.nowMs += 7 * 24 * 3_600_000;
  assert.deepEqual(
    [1, 2, 3, 4].map(() => expire(cluster).forgottenIds),
    [2, 2, 1, 0],
  );
});
