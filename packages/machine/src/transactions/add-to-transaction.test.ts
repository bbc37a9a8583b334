import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from '../../testing/cluster.ts';
import { TestProducer } from '../../testing/transactional-producer.ts';
import { ClusterMachine } from '../machine.ts';

function started(bumps = false) {
  const cluster = new Cluster();
  cluster.create('a', 2);
  const producer = new TestProducer(cluster, 'tx', { bumps });
  producer.init();
  return { cluster, producer };
}

const strangers: [what: string, change: (producer: TestProducer) => void, error: string][] = [
  ['another producer', (producer) => producer.producerId++, 'INVALID_PRODUCER_ID_MAPPING'],
  ['an old epoch', (producer) => producer.epoch--, 'PRODUCER_FENCED'],
  ['a future epoch', (producer) => producer.epoch++, 'PRODUCER_FENCED'],
];

for (const [what, change, error] of strangers) {
  test(`${what} adds nothing`, () => {
    const { cluster, producer } = started();
    change(producer);
    const saved = cluster.saved();
    assert.equal(producer.add(['a', 0]), error);
    assert.equal(producer.addGroup('g'), error);
    assert.equal(producer.commitOffset('g', 'a', 3), error);
    assert.ok(cluster.saved().equals(saved));
  });
}

test('partitions are added all or none', () => {
  for (const unknown of [['a', 2] as const, ['z', 0] as const]) {
    const { cluster, producer } = started();
    const saved = cluster.saved();
    assert.equal(producer.add(['a', 0], [...unknown]), 'UNKNOWN_TOPIC_OR_PARTITION');
    assert.ok(cluster.saved().equals(saved));
  }
});

test('adding a partition or group twice has no effect and writes no second entry', () => {
  const { cluster, producer } = started();
  assert.equal(producer.add(['a', 0], ['a', 0]), 'NONE');
  assert.equal(producer.addGroup('g'), 'NONE');
  const entries = cluster.journal.length;
  assert.equal(producer.add(['a', 0]), 'NONE');
  assert.equal(producer.addGroup('g'), 'NONE');
  assert.equal(cluster.journal.length, entries);
  assert.equal(cluster.machine.describeTransactions(['tx'])[0]!.partitions.length, 1);
});

test('a partition that a request names twice takes the room of one', () => {
  const cluster = new Cluster({ transactionBytesMax: 604 + 64 });
  cluster.create('a', 2);
  const producer = new TestProducer(cluster);
  assert.equal(producer.init(), 'NONE');
  assert.equal(producer.add(['a', 0], ['a', 0], ['a', 0]), 'NONE');
  assert.equal(producer.add(['a', 1]), 'POLICY_VIOLATION');
});

test('a group that is not part of the transaction cannot commit in it, unless the commit adds it', () => {
  const without = started(false);
  assert.equal(without.producer.commitOffset('g', 'a', 3), 'INVALID_TXN_STATE');
  without.producer.addGroup('other');
  assert.equal(without.producer.commitOffset('g', 'a', 3), 'INVALID_TXN_STATE');
  without.producer.addGroup('g');
  assert.equal(without.producer.commitOffset('g', 'a', 3), 'NONE');

  const withEpochs = started(true);
  assert.equal(withEpochs.producer.commitOffset('g', 'a', 3), 'NONE');
  assert.equal(withEpochs.cluster.machine.describeTransactions(['tx'])[0]!.state, 'Ongoing');
  assert.equal(withEpochs.producer.end(true), 'NONE');
  assert.equal(withEpochs.cluster.machine.offsets.countOf('g'), 1);
});

test('an offset that cannot be stored is refused individually and opens no transaction', () => {
  const { cluster, producer } = started(true);
  assert.equal(producer.commitOffset('g', 'z', 3), 'UNKNOWN_TOPIC_ID');
  assert.equal(producer.commitOffset('g', 'a', 2 ** 53), 'INVALID_REQUEST');
  assert.equal(cluster.machine.describeTransactions(['tx'])[0]!.state, 'Empty');
});

test('a negative offset is pending until its transaction commits, also in a snapshot', () => {
  const { cluster, producer } = started(true);
  assert.equal(producer.commitOffset('g', 'a', -2), 'NONE');
  const query = { groupId: 'g', requireStable: true, partitions: [{ topicId: 'a', partition: 0 }] };
  assert.equal(cluster.machine.fetchOffsets(query)[0]!.error, 'UNSTABLE_OFFSET_COMMIT');
  const restored = ClusterMachine.restore(cluster.saved());
  assert.equal(producer.end(true), 'NONE');
  restored.apply(cluster.journal.at(-1)!);
  for (const machine of [cluster.machine, restored, cluster.replay().machine]) {
    assert.equal(machine.fetchOffsets(query)[0]!.offset, -2);
  }
});

test('an invalid connection or request number is a mistake of the caller', () => {
  const { cluster, producer } = started();
  const saved = cluster.saved();
  for (const origin of [
    { connection: '', request: 1 },
    { connection: 'x'.repeat(129), request: 1 },
    { connection: 'x', request: 0.5 },
  ]) {
    const request = { ...producer.caller, origin, partitions: [] };
    assert.throws(
      () => cluster.execute({ kind: 'addPartitionsToTransaction', request }),
      /MalformedCommand|name of a connection|number of a request/,
    );
  }
  assert.ok(cluster.saved().equals(saved));
});
