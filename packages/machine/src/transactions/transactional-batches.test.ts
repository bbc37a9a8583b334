import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from '../../testing/cluster.ts';
import type { BatchToCommit } from '../../testing/file-commit.ts';
import { TestProducer } from '../../testing/transactional-producer.ts';

/** A producer with an open transaction in partition 0 of two, after a committed one there. */
function opened(bumps: boolean) {
  const cluster = new Cluster();
  cluster.create('a', 2);
  const producer = new TestProducer(cluster, 'tx', { bumps });
  producer.init();
  for (const round of [1, 2]) {
    if (!bumps) producer.add(['a', 0]);
    producer.send('a', 0, 2);
    if (round === 1) producer.end(true);
  }
  return { cluster, producer };
}

// Each row is a batch that differs from a valid one in one field.
const batches: [what: string, bumps: boolean, batch: Partial<BatchToCommit>, result: string | number][] = [
  ['the next batch', true, {}, 5],
  ['the next batch', false, {}, 5],
  ['a batch of another epoch', true, { epoch: 0 }, 'INVALID_PRODUCER_EPOCH'],
  ['a batch of a future epoch', true, { epoch: 2 }, 'INVALID_PRODUCER_EPOCH'],
  ['a batch of another epoch', false, { epoch: 1 }, 'INVALID_PRODUCER_EPOCH'],
  ['a batch of another producer', true, { producerId: 9 }, 'INVALID_PRODUCER_ID_MAPPING'],
  [
    'a batch with an unknown transactional id',
    true,
    { transactionalId: 'other' },
    'INVALID_PRODUCER_ID_MAPPING',
  ],
  ['a batch without a transaction', true, { transactionalId: undefined! }, 'INVALID_TXN_STATE'],
  ['a batch without a transaction', false, { transactionalId: undefined! }, 'INVALID_TXN_STATE'],
  [
    'a batch without a transaction in another partition',
    true,
    { transactionalId: undefined!, partition: 1, sequence: 0 },
    0,
  ],
  [
    'a batch without a transaction and with an old epoch',
    true,
    { transactionalId: undefined!, partition: 1, epoch: 0 },
    'INVALID_PRODUCER_EPOCH',
  ],
  ['the first batch in a partition', true, { partition: 1, sequence: 0 }, 0],
  [
    'the first batch in a partition that was not added',
    false,
    { partition: 1, sequence: 0 },
    'INVALID_TXN_STATE',
  ],
  [
    'the first batch in a partition, with a sequence other than 0',
    true,
    { partition: 1, sequence: 4 },
    'OUT_OF_ORDER_SEQUENCE_NUMBER',
  ],
  ['a batch after a gap', true, { sequence: 3 }, 'OUT_OF_ORDER_SEQUENCE_NUMBER'],
  ['a duplicate batch', true, { sequence: 0, records: 2 }, 3],
  ['a duplicate batch', false, { sequence: 2, records: 2 }, 3],
  ['a duplicate batch of the previous transaction', false, { sequence: 0, records: 2 }, 0],
];

for (const [what, bumps, batch, result] of batches) {
  test(`${what}${bumps ? '' : ', of a producer without an epoch per transaction'}: ${result}`, () => {
    const { cluster, producer } = opened(bumps);
    const before = cluster.machine.snapshotForFollowers().lastStableOffset;
    assert.equal(producer.send('a', 0, 1, batch), result);
    assert.deepEqual(cluster.machine.snapshotForFollowers().lastStableOffset[0], before[0]);
    const { machine } = cluster.replay();
    assert.ok(Buffer.concat(machine.save()).equals(cluster.saved()));
  });
}

test('after the end, a batch opens the next transaction if the client bumps its epoch, and is refused otherwise', () => {
  for (const bumps of [true, false]) {
    const { cluster, producer } = opened(bumps);
    producer.end(true);
    assert.equal(producer.send('a'), bumps ? 6 : 'INVALID_TXN_STATE');
    assert.equal(
      cluster.machine.describeTransactions(['tx'])[0]!.state,
      bumps ? 'Ongoing' : 'CompleteCommit',
    );
  }
});

test('after the end, a duplicate batch is answered only if the partition is part of a transaction', () => {
  const { producer } = opened(false);
  producer.end(true);
  assert.equal(producer.send('a', 0, 2, { sequence: 2 }), 'INVALID_TXN_STATE');
  producer.add(['a', 0]);
  assert.equal(producer.send('a', 0, 2, { sequence: 2 }), 3);
});

test('a refused batch does not open a transaction', () => {
  const cluster = new Cluster();
  cluster.create('a');
  const producer = new TestProducer(cluster);
  producer.init();
  assert.equal(producer.send('a', 0, 1, { sequence: 5 }), 'OUT_OF_ORDER_SEQUENCE_NUMBER');
  assert.equal(cluster.machine.describeTransactions(['tx'])[0]!.state, 'Empty');
});

test('transactions have limited room, and a batch that exceeds it is refused', () => {
  const cluster = new Cluster({ transactionBytesMax: 604 + 2 * 64 });
  cluster.create('a', 3);
  const producer = new TestProducer(cluster);
  assert.equal(producer.init(), 'NONE');
  assert.deepEqual(
    [0, 1, 2].map((partition) => producer.send('a', partition)),
    [0, 0, 'INVALID_TXN_STATE'],
  );
  assert.equal(producer.addGroup('g'), 'POLICY_VIOLATION');
  assert.equal(producer.add(['a', 2]), 'POLICY_VIOLATION');
  producer.end(true);
  assert.equal(producer.send('a', 2), 0);
});
