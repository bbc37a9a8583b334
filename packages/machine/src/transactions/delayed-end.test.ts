import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from '../../testing/cluster.ts';
import { TestProducer } from '../../testing/transactional-producer.ts';

/**
 * The anomaly: a producer sends EndTxn, gets no answer, and retries on another connection, successfully. It begins its
 * next transaction, and only now the first EndTxn arrives. It must not end the new transaction.
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
  // Without an epoch per transaction, only the connection distinguishes a late request from a retry.
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
  test(`a late ${end} has a fenced epoch`, () => {
    const { cluster, producer, late } = secondTransactionIsOpen(true);
    assert.equal(late.end(isCommit), 'PRODUCER_FENCED');
    assert.equal(stateOf(cluster), 'Ongoing');
    assert.equal(producer.send('a', 1), 0);
    assert.equal(producer.end(false), 'NONE');
    assert.equal(stateOf(cluster), 'CompleteAbort');
  });

  test(`without an epoch per transaction, a late ${end} from an abandoned connection must be retried`, () => {
    const { cluster, producer, late } = secondTransactionIsOpen(false);
    assert.equal(late.end(isCommit), 'CONCURRENT_TRANSACTIONS');
    assert.equal(stateOf(cluster), 'Ongoing');
    assert.equal(producer.send('a', 1), 0);
    // The producer itself must retry once, because of the late request, and then succeeds.
    assert.equal(producer.end(false), 'CONCURRENT_TRANSACTIONS');
    assert.equal(producer.end(false), 'NONE');
    assert.equal(stateOf(cluster), 'CompleteAbort');
  });
}

test('a late commit while no transaction is open changes nothing', () => {
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

test('the need to retry survives a failover, and a duplicate of the same request is no retry', () => {
  const { cluster, late } = secondTransactionIsOpen(false);
  const request = { ...late.caller, isCommit: true, bumpsEpoch: false };
  assert.equal(cluster.execute({ kind: 'endTransaction', request }).error, 'CONCURRENT_TRANSACTIONS');
  const { machine } = cluster.replay();
  const again = machine.execute({ kind: 'endTransaction', request }, cluster.nowMs);
  assert.equal(again.reply.error, 'CONCURRENT_TRANSACTIONS');
  assert.equal(machine.describeTransactions(['tx'])[0]!.state, 'Ongoing');
});

test('a late batch does not become part of the next transaction', () => {
  const withEpochs = secondTransactionIsOpen(true);
  assert.equal(withEpochs.late.send('a', 0, 1, { sequence: 1 }), 'INVALID_PRODUCER_EPOCH');
  assert.equal(withEpochs.late.send('a', 1, 1, { sequence: 0 }), 'INVALID_PRODUCER_EPOCH');

  // Without an epoch per transaction, as before KIP-890: where the partition is part of the next transaction too, only
  // sequences reveal a late batch.
  const without = secondTransactionIsOpen(false);
  assert.equal(
    without.late.send('a', 0, 1, { sequence: 0 }),
    0,
    'a duplicate of the first batch returns its offset',
  );
  assert.equal(without.late.send('a', 0, 1, { sequence: 3 }), 'OUT_OF_ORDER_SEQUENCE_NUMBER');
});

test('a client that stays on one connection never has to retry', () => {
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
