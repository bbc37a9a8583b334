import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from '../../testing/cluster.ts';
import { TestProducer } from '../../testing/transactional-producer.ts';

/**
 * The anomaly: a producer asks to end its transaction, hears nothing, and asks again, on another connection. That is done. The
 * producer begins its next transaction, and now the first question arrives after all. It must not end the transaction
 * that it was not meant for.
 */
function secondTransactionIsOpen(bumps: boolean) {
  const cluster = new Cluster();
  cluster.create('a', 2);
  const producer = new TestProducer(cluster, 'tx', { bumps });
  producer.init();
  if (!bumps) producer.add(['a', 0]);
  producer.send('a');
  const late = producer.ghost();
  producer.connection = 'second';
  // Without an epoch per transaction, the connection is what tells a late question from one that is asked again.
  if (!bumps) assert.equal(producer.end(true), 'CONCURRENT_TRANSACTIONS');
  assert.equal(producer.end(true), 'NONE');
  if (!bumps) producer.add(['a', 0], ['a', 1]);
  assert.equal(producer.send('a', 0), 2);
  return { cluster, producer, late };
}

function stateOf(cluster: Cluster): string {
  return cluster.machine.describeTransactions(['tx'])[0]!.state;
}

for (const isCommit of [true, false]) {
  const end = isCommit ? 'commit' : 'abort';
  test(`a ${end} that comes late finds its epoch gone`, () => {
    const { cluster, producer, late } = secondTransactionIsOpen(true);
    assert.equal(late.end(isCommit), 'PRODUCER_FENCED');
    assert.equal(stateOf(cluster), 'Ongoing');
    assert.equal(producer.send('a', 1), 0);
    assert.equal(producer.end(false), 'NONE');
    assert.equal(stateOf(cluster), 'CompleteAbort');
  });

  test(`a ${end} that comes late from a connection that was left is in doubt, without an epoch per transaction`, () => {
    const { cluster, producer, late } = secondTransactionIsOpen(false);
    assert.equal(late.end(isCommit), 'CONCURRENT_TRANSACTIONS');
    assert.equal(stateOf(cluster), 'Ongoing');
    assert.equal(producer.send('a', 1), 0);
    // The producer itself is asked to say it again, because of the stranger, and then is believed.
    assert.equal(producer.end(false), 'CONCURRENT_TRANSACTIONS');
    assert.equal(producer.end(false), 'NONE');
    assert.equal(stateOf(cluster), 'CompleteAbort');
  });
}

test('a late commit that comes when nothing is open changes nothing', () => {
  for (const bumps of [true, false]) {
    const cluster = new Cluster();
    cluster.create('a');
    const producer = new TestProducer(cluster, 'tx', { bumps });
    producer.init();
    if (!bumps) producer.add(['a', 0]);
    producer.send('a');
    const late = producer.ghost();
    producer.end(true);
    const saved = cluster.saved();
    assert.equal(late.endWithoutAnswer(true), 'NONE');
    assert.equal(late.endWithoutAnswer(false), 'INVALID_TXN_STATE');
    assert.ok(cluster.saved().equals(saved));
  }
});

test('doubts outlive a failover, and a question that is merely repeated on its way is no answer to them', () => {
  const { cluster, late } = secondTransactionIsOpen(false);
  const request = { ...late.caller, isCommit: true, bumpsEpoch: false };
  assert.equal(cluster.execute({ kind: 'endTransaction', request }).error, 'CONCURRENT_TRANSACTIONS');
  const { machine } = cluster.replay();
  const again = machine.execute({ kind: 'endTransaction', request }, cluster.nowMs);
  assert.equal(again.reply.error, 'CONCURRENT_TRANSACTIONS');
  assert.equal(machine.describeTransactions(['tx'])[0]!.state, 'Ongoing');
});

test('a batch that comes late is not part of the next transaction', () => {
  const withEpochs = secondTransactionIsOpen(true);
  assert.equal(withEpochs.late.send('a', 0, 1, { sequence: 1 }), 'INVALID_PRODUCER_EPOCH');
  assert.equal(withEpochs.late.send('a', 1, 1, { sequence: 0 }), 'INVALID_PRODUCER_EPOCH');

  // Without, it is what it has always been: sequences tell it where the partition is part of the next transaction too.
  const without = secondTransactionIsOpen(false);
  assert.equal(
    without.late.send('a', 0, 1, { sequence: 0 }),
    0,
    'the first batch again, which has its offset',
  );
  assert.equal(without.late.send('a', 0, 1, { sequence: 3 }), 'OUT_OF_ORDER_SEQUENCE_NUMBER');
});

test('whoever stays on one connection is never in doubt', () => {
  const cluster = new Cluster();
  cluster.create('a');
  const producer = new TestProducer(cluster, 'tx', { bumps: false });
  producer.init();
  for (let round = 0; round < 5; round++) {
    assert.equal(producer.addGroup('g'), 'NONE');
    assert.equal(producer.add(['a', 0]), 'NONE');
    assert.equal(typeof producer.send('a'), 'number');
    assert.equal(producer.end(round % 2 === 0), 'NONE');
  }
});
