import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnreadableBytes } from './bytes/byte-reader.ts';
import { MalformedCommand } from './command.ts';
import { entryKind } from './entry-kind.ts';
import { ClusterMachine } from './machine.ts';
import { Cluster } from './testing/cluster.ts';
import { fileCommit } from './testing/file-commit.ts';

/**
 * One entry of each kind as it is in journals out there. When this fails, an old journal cannot be read any more: the changed
 * layout needs a number of its own.
 */
const journal: [kind: keyof typeof entryKind, hex: string][] = [
  [
    'topicsCreated',
    '02c0843d01066f7264657273066f726465727303020e636c65616e75702e706f6c69637907636f6d706163740c726574656e74696f6e2e6d73053630303030',
  ],
  [
    'filesCommitted',
    '01c1843d010000000000000000000000000000f11ea42a052800006403e6070a02070404708827ac02e9907a009c016401ffffffffffff3f4301000002020000',
  ],
  ['partitionsCreated', '04c1843d010005'],
  ['producerIdsAllocated', '05c1843de807'],
  [
    'clusterConfigsAltered',
    '06c1843d02106c6f672e726574656e74696f6e2e6d730107333630303030300e6e756d2e706172746974696f6e73010134',
  ],
  ['clusterConfigsAltered', '06c1843d010e6e756d2e706172746974696f6e7300'],
  ['topicsDeleted', '03c1843d0100'],
  ['purged', '07c1bcd62901010100'],
];

/** The story that gave the journal above. */
function tell(): Cluster {
  const cluster = new Cluster();
  cluster.create('orders', 3, { 'cleanup.policy': 'compact', 'retention.ms': '60000' });
  cluster.nowMs += 1;
  cluster.commitFile(
    fileCommit(0xf11e, [
      { topicId: 'orders', records: 3, timestampMs: 1_000_500, producerId: 9, epoch: 2, sequence: 7 },
      { topicId: 'orders', partition: 2, records: 300, bytes: 5000, gap: 12, timestampMs: -1 },
      { topicId: 'orders', partition: 1, timestampMs: Number.MAX_SAFE_INTEGER },
      { topicId: 'orders', records: 3, producerId: 9, epoch: 2, sequence: 7 },
      { topicId: 'unknown' },
    ]),
  );
  cluster.execute({
    kind: 'createPartitions',
    topics: [{ name: 'orders', partitionCount: 5 }],
    validateOnly: false,
  });
  cluster.execute({ kind: 'allocateProducerIds', count: 1000 });
  const configs = { 'num.partitions': '4', 'log.retention.hours': '1' };
  cluster.execute({ kind: 'alterClusterConfigs', configs });
  cluster.execute({ kind: 'alterClusterConfigs', configs: { 'num.partitions': null } });
  cluster.delete('orders');
  cluster.nowMs += 86_400_000;
  cluster.execute({ kind: 'purge' });
  return cluster;
}

test('entries are the bytes that journals have', () => {
  const cluster = tell();
  assert.deepEqual(
    cluster.journal.map((entry) => entry.toString('hex')),
    journal.map(([, hex]) => hex),
  );
  const machine = ClusterMachine.empty('vci_test');
  for (const [kind, hex] of journal) {
    const entry = Buffer.from(hex, 'hex');
    assert.equal(entry[0], entryKind[kind]);
    machine.apply(entry);
  }
  assert.ok(Buffer.concat(machine.save()).equals(cluster.saved()));
});

test('there is an entry of every kind among them', () => {
  assert.deepEqual(new Set(journal.map(([kind]) => kind)), new Set(Object.keys(entryKind)));
});

test('an entry that is cut short, too long or of an unknown kind is refused', () => {
  for (const entry of tell().journal) {
    for (let length = 0; length < entry.length; length++) {
      const machine = tell().machine;
      assert.throws(() => machine.apply(entry.subarray(0, length)), UnreadableBytes);
    }
  }
  const machine = tell().machine;
  assert.throws(() => machine.apply(Buffer.of(99, 0)), /no entry of kind 99/);
  const { entry } = machine.execute({ kind: 'allocateProducerIds', count: 1 }, 0);
  assert.throws(() => machine.apply(Buffer.concat([entry!, Buffer.of(0)])), /left over/);
});

test('an entry about what is not there is refused', () => {
  const cluster = new Cluster();
  cluster.create('a', 2);
  cluster.commit({ topicId: 'a', partition: 1 });
  cluster.delete('a');
  for (const entry of cluster.journal.slice(1)) {
    assert.throws(() => ClusterMachine.empty('vci_test').apply(entry), UnreadableBytes);
  }
  const narrower = new Cluster();
  narrower.create('a', 1);
  assert.throws(() => narrower.machine.apply(cluster.journal[1]!), /has no partition 1/);
});

test('producer ids are handed out once', () => {
  const cluster = new Cluster();
  const firsts = [1, 1000, 5].map((count) => cluster.execute({ kind: 'allocateProducerIds', count }));
  assert.deepEqual(firsts, [1, 2, 1002]);
  for (const count of [0, -1, 1.5, 1_000_001]) {
    assert.throws(() => cluster.execute({ kind: 'allocateProducerIds', count }), MalformedCommand);
  }
  assert.equal(cluster.replay().machine.execute({ kind: 'allocateProducerIds', count: 1 }, 0).reply, 1007);
});

test('configs of the cluster are set all together or not at all', () => {
  const cluster = new Cluster();
  const refused = cluster.execute({
    kind: 'alterClusterConfigs',
    configs: { 'num.partitions': '2', 'service.nothing': '1' },
  });
  assert.deepEqual(refused, {
    error: 'INVALID_CONFIG',
    message: 'service.nothing=1: there is no such cluster config',
  });
  assert.deepEqual(cluster.machine.clusterConfigs(), {});
  const configs = { 'num.partitions': '2', 'log.retention.minutes': '1', 'log.dirs': '/tmp' };
  assert.equal(cluster.execute({ kind: 'alterClusterConfigs', configs }).error, 'NONE');
  assert.deepEqual(cluster.machine.clusterConfigs(), { 'log.retention.ms': '60000', 'num.partitions': '2' });
  const { entry } = cluster.machine.execute({ kind: 'alterClusterConfigs', configs }, cluster.nowMs);
  assert.equal(entry, undefined, 'what is so already is no news');
});

test('time does not run back when another leader has an earlier clock', () => {
  const cluster = new Cluster();
  cluster.create('a');
  cluster.nowMs -= 5000;
  cluster.create('b');
  assert.equal(cluster.machine.topicByName('b')!.createdMs, cluster.nowMs + 5000);
  for (const nowMs of [-1, 0.5, Number.NaN]) {
    assert.throws(() => cluster.machine.execute({ kind: 'purge' }, nowMs), MalformedCommand);
  }
});

test('a snapshot for followers has the ends of all partitions in the order of the topics', () => {
  const cluster = new Cluster();
  cluster.create('a', 2);
  cluster.create('gone', 1);
  cluster.create('b', 1);
  cluster.delete('gone');
  cluster.commit({ topicId: 'b', records: 9 }, { topicId: 'a', partition: 1, records: 2 });
  const { topics, nextOffset, logStartOffset, clusterId } = cluster.machine.snapshotForFollowers();
  assert.deepEqual(
    topics.map(({ name }) => name),
    ['a', 'b'],
  );
  assert.deepEqual([[...nextOffset], [...logStartOffset], clusterId], [[0, 2, 9], [0, 0, 0], 'vci_test']);
});
