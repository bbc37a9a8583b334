import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from '../../testing/cluster.ts';
import { TestProducer } from '../../testing/transactional-producer.ts';
import { producerEpochMax } from './transaction.ts';

type State = 'Empty' | 'Ongoing' | 'CompleteCommit' | 'CompleteAbort';

/** A producer whose transactional id is in this state. */
function producerIn(state: State, bumps: boolean): { cluster: Cluster; producer: TestProducer } {
  const cluster = new Cluster();
  cluster.create('a');
  const producer = new TestProducer(cluster, 'tx', { bumps });
  producer.init();
  if (state !== 'Empty') {
    if (!bumps) producer.add(['a', 0]);
    producer.send('a');
  }
  if (state === 'CompleteCommit' || state === 'CompleteAbort') producer.end(state === 'CompleteCommit');
  assert.equal(cluster.machine.describeTransactions(['tx'])[0]!.state, state);
  return { cluster, producer };
}

// The answer to the producer, and the state and the change of the epoch afterwards.
const rules: [
  state: State,
  bumps: boolean,
  end: 'commit' | 'abort',
  error: string,
  after: State,
  step: number,
][] = [
  ['Empty', false, 'commit', 'INVALID_TXN_STATE', 'Empty', 0],
  ['Empty', false, 'abort', 'INVALID_TXN_STATE', 'Empty', 0],
  ['Ongoing', false, 'commit', 'NONE', 'CompleteCommit', 0],
  ['Ongoing', false, 'abort', 'NONE', 'CompleteAbort', 0],
  ['CompleteCommit', false, 'commit', 'NONE', 'CompleteCommit', 0],
  ['CompleteCommit', false, 'abort', 'INVALID_TXN_STATE', 'CompleteCommit', 0],
  ['CompleteAbort', false, 'commit', 'INVALID_TXN_STATE', 'CompleteAbort', 0],
  ['CompleteAbort', false, 'abort', 'NONE', 'CompleteAbort', 0],
  ['Empty', true, 'commit', 'INVALID_TXN_STATE', 'Empty', 0],
  ['Empty', true, 'abort', 'NONE', 'CompleteAbort', 1],
  ['Ongoing', true, 'commit', 'NONE', 'CompleteCommit', 1],
  ['Ongoing', true, 'abort', 'NONE', 'CompleteAbort', 1],
  ['CompleteCommit', true, 'commit', 'INVALID_TXN_STATE', 'CompleteCommit', 0],
  ['CompleteCommit', true, 'abort', 'NONE', 'CompleteAbort', 1],
  ['CompleteAbort', true, 'commit', 'INVALID_TXN_STATE', 'CompleteAbort', 0],
  ['CompleteAbort', true, 'abort', 'NONE', 'CompleteAbort', 1],
];

for (const [state, bumps, end, error, after, step] of rules) {
  test(`${end} in state ${state}, ${bumps ? 'with' : 'without'} an epoch per transaction: ${error}`, () => {
    const { cluster, producer } = producerIn(state, bumps);
    const { epoch } = producer;
    assert.equal(producer.end(end === 'commit'), error);
    const [described] = cluster.machine.describeTransactions(['tx']);
    assert.deepEqual([described!.state, described!.producerEpoch], [after, epoch + step]);
    assert.equal(producer.epoch, epoch + step);
  });
}

// A producer that lost the answer retries with the epoch that it still has.
const repeated: [first: boolean, second: boolean, error: string][] = [
  [true, true, 'NONE'],
  [false, false, 'NONE'],
  [true, false, 'INVALID_TXN_STATE'],
  [false, true, 'INVALID_TXN_STATE'],
];

for (const [first, second, error] of repeated) {
  test(`${second ? 'commit' : 'abort'} again after ${first ? 'commit' : 'abort'} whose answer was lost: ${error}`, () => {
    const { cluster, producer } = producerIn('Ongoing', true);
    assert.equal(producer.endWithoutAnswer(first), 'NONE');
    const saved = cluster.saved();
    assert.equal(producer.end(second), error);
    assert.equal(producer.epoch, error === 'NONE' ? 1 : 0);
    assert.ok(cluster.saved().equals(saved), 'the transaction ended once');
  });
}

const strangers: [what: string, caller: object, error: string][] = [
  ['an unknown id', { transactionalId: 'unknown' }, 'INVALID_PRODUCER_ID_MAPPING'],
  ['another producer', { producerId: 99 }, 'INVALID_PRODUCER_ID_MAPPING'],
  ['an old epoch', { producerEpoch: -1 }, 'PRODUCER_FENCED'],
  ['a future epoch', { producerEpoch: 1 }, 'PRODUCER_FENCED'],
];

for (const [what, caller, error] of strangers) {
  for (const bumpsEpoch of [true, false]) {
    test(`${what} ends nothing${bumpsEpoch ? '' : ', without an epoch per transaction either'}`, () => {
      const { cluster, producer } = producerIn('Ongoing', bumpsEpoch);
      const request = { ...producer.caller, isCommit: true, bumpsEpoch, ...caller };
      assert.equal(cluster.execute({ kind: 'endTransaction', request }).error, error);
      assert.equal(cluster.machine.describeTransactions(['tx'])[0]!.state, 'Ongoing');
    });
  }
}

test('one entry ends a transaction in all of its partitions and groups', () => {
  const cluster = new Cluster();
  cluster.create('a', 3);
  const producer = new TestProducer(cluster);
  producer.init();
  for (let partition = 0; partition < 3; partition++) producer.send('a', partition);
  producer.commitOffset('g', 'a', 17);
  const query = { groupId: 'g', requireStable: true, partitions: [{ topicId: 'a', partition: 0 }] };
  assert.equal(cluster.machine.fetchOffsets(query)[0]!.error, 'UNSTABLE_OFFSET_COMMIT');
  assert.equal(cluster.machine.fetchOffsets({ ...query, requireStable: false })[0]!.offset, -1);
  const entries = cluster.journal.length;
  producer.end(true);
  assert.equal(cluster.journal.length, entries + 1);
  assert.equal(cluster.machine.fetchOffsets(query)[0]!.offset, 17);
  const { lastStableOffset, nextOffset } = cluster.machine.snapshotForFollowers();
  assert.deepEqual(
    [[...lastStableOffset], [...nextOffset]],
    [
      [2, 2, 2],
      [2, 2, 2],
    ],
  );
  assert.deepEqual(
    cluster
      .replay()
      .changes.slice(-3)
      .map((change) => change.kind === 'appended' && change.partition),
    [0, 1, 2],
  );
});

test('offsets of an aborted transaction have no effect', () => {
  const cluster = new Cluster();
  cluster.create('a');
  const producer = new TestProducer(cluster);
  producer.init();
  producer.commitOffset('g', 'a', 17);
  producer.end(false);
  const query = { groupId: 'g', requireStable: true, partitions: [{ topicId: 'a', partition: 0 }] };
  assert.deepEqual(
    [cluster.machine.fetchOffsets(query)[0]!.offset, cluster.machine.fetchOffsets(query)[0]!.error],
    [-1, 'NONE'],
  );
});

test('when the epochs are used up, the next transaction has another producer id, even if the answer was lost', () => {
  const cluster = new Cluster();
  cluster.create('a');
  const producer = new TestProducer(cluster);
  producer.init();
  for (let epoch = 0; epoch < producerEpochMax; epoch++) producer.init(true);
  producer.send('a');
  const late = producer.ghost();
  assert.equal(producer.endWithoutAnswer(true), 'NONE');
  assert.equal(producer.end(true), 'NONE');
  assert.deepEqual([producer.producerId, producer.epoch], [2, 0]);
  const [answer] = cluster.machine.findBatches([{ topicId: 'a', partition: 0, offset: 1, bytesMax: 1 }]);
  const { producerId, producerEpoch, isCommit } = answer!.pointers.markers!;
  assert.deepEqual([producerId[0], producerEpoch[0], isCommit[0]], [1, producerEpochMax + 1, 1]);
  assert.equal(late.send('a'), 'INVALID_PRODUCER_ID_MAPPING');
  assert.equal(producer.send('a'), 2);
  assert.equal(late.end(true), 'INVALID_PRODUCER_ID_MAPPING');
  assert.equal(producer.end(true), 'NONE');
  assert.deepEqual([producer.producerId, producer.epoch], [2, 1]);
});
