import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { Cluster } from '../../testing/cluster.ts';
import { UnreadableBytes } from '../bytes/byte-reader.ts';
import { ClusterMachine } from '../machine.ts';

/** A snapshot of version 1, written by an early release. */
const firstVersion =
  'V0VJUkNMVVMEAwIBAQAAAAAAAAAAGIBACHZjaV90ZXN0+Js9AQEObnVtLnBhcnRpdGlvbnMBMgICAAVmaXJzdAVmaXJzdMCE' +
  'PQADAQxyZXRlbnRpb24ubXMEMTAwMAEHZGVsZXRlZAdkZWxldGVkwIQ9+Zs9AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' +
  'AAAAAAAAAAAAAAAAAPA/AAAAAAAA8D8AAAAAAADwPwAAAAAAAChAAQAAAAEAAAABAAAAAwAAAAMAAAAAAAAAAAAAAAAAAAAB' +
  'AAAAAAAAAAAAAAAAAAAAAgAAAAAAAAAAAAAAAAAAAAPIAAAAyAAAAMgAAAAAAAAAAQAAAAIAAAAAAAAAAQAAAAIAAAAAAAAA' +
  'AAAAAAAAAABkAAAAZAAAAGQAAABkAAAAZAAAAGQAAABkAAAAZAAAAGQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' +
  'AAAAAAAAAAAAABBAAAAAAAAAIEAAAAAAAAAAAAAAAAAAAPA/AAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADAAAF' +
  'AKiMPQEAAAAAAQUA6AcBAAAAAAIFAOgHAQAAAAMAAAAAAAAAAAAAAAAAAAABqIw9BgAAAAAAAAAAAAAAAAAAAAAAAAAAAAKQ' +
  'lD0GAAAAAAQAAAAAAAAAAAAAAAAAAAAAA/ibPQYAAAAACABXGth+';

/** A cluster with some of every kind of state. */
function lively(): Cluster {
  const cluster = new Cluster();
  cluster.execute({ kind: 'alterClusterConfigs', configs: { 'num.partitions': '2' } });
  cluster.execute({ kind: 'allocateProducerIds', count: 1000 });
  cluster.create('first', 3, { 'retention.ms': '1000' });
  cluster.create('deleted', 2);
  cluster.create('removed', 1);
  for (let round = 0; round < 40; round++) {
    cluster.nowMs += 1000;
    cluster.commit(
      {
        topicId: 'first',
        partition: round % 3,
        producerId: 5,
        sequence: Math.floor(round / 3),
        timestampMs: round % 7,
      },
      { topicId: 'deleted', partition: round % 2, records: 4 },
      { topicId: 'removed', producerId: 6, sequence: round },
    );
  }
  cluster.delete('removed');
  cluster.nowMs += 86_400_000;
  cluster.execute({ kind: 'purge' });
  cluster.commit({ topicId: 'first', producerId: 7, sequence: 3 }, { topicId: 'nowhere' });
  cluster.request('a', { kind: 'allocateProducerIds', count: 5 });
  cluster.request('b', { kind: 'deleteTopics', topics: [{ name: 'deleted' }] });
  return cluster;
}

test('a restored machine is equal, gives equal answers and continues equally', () => {
  const cluster = lively();
  const saved = cluster.saved();
  const restored = ClusterMachine.restore(saved);
  assert.ok(Buffer.concat(restored.save()).equals(saved));
  assert.equal(restored.clusterId, 'vci_test');
  assert.deepEqual(restored.snapshotForFollowers(), cluster.machine.snapshotForFollowers());
  const queries = [{ topicId: 'first', partition: 0, offset: 0, bytesMax: 1e9 }];
  assert.deepEqual(restored.findBatches(queries), cluster.machine.findBatches(queries));

  const later = cluster.journal.length;
  cluster.commit({ topicId: 'first', producerId: 7, sequence: 4 });
  cluster.create('later', -1);
  cluster.execute({ kind: 'allocateProducerIds', count: 1 });
  for (const entry of cluster.journal.slice(later)) restored.apply(entry);
  assert.ok(Buffer.concat(restored.save()).equals(cluster.saved()));
});

test('saved slices do not change with later commands', () => {
  const cluster = lively();
  const slices = cluster.machine.save();
  const before = Buffer.concat(slices);
  for (let round = 0; round < 100; round++) cluster.commit({ topicId: 'first' });
  assert.ok(Buffer.concat(slices).equals(before));
});

test('a snapshot is of the moment when it began, whatever happens while it is taken', () => {
  const cluster = new Cluster({ producerStatesMax: 3000 });
  cluster.execute({ kind: 'alterClusterConfigs', configs: { 'service.soft.delete.topic.ttl.ms': '1000' } });
  cluster.create('kept', 100);
  cluster.create('removed', 100);
  const commit = (first: number) =>
    cluster.commit(
      ...Array.from({ length: 1000 }, (_, row) => ({
        topicId: row % 2 === 0 ? 'kept' : 'removed',
        partition: row % 100,
        gap: row % 3,
        producerId: first + row,
        sequence: 0,
      })),
    );
  for (let round = 0; round < 40; round++) commit(round * 50);
  cluster.delete('removed');
  const expected = cluster.saved();
  const saving = cluster.machine.beginSave();
  const slices: Buffer[] = [];
  for (const slice of saving.slices) {
    slices.push(slice);
    // Appends to existing logs, creates topics, evicts producers, and frees and reuses chunks and files.
    cluster.nowMs += 600;
    commit(slices.length * 700);
    cluster.create(`made-${slices.length}`, 3);
    cluster.execute({ kind: 'purge' });
  }
  saving.end();
  assert.ok(slices.length > 5, 'commands ran while the snapshot was taken');
  assert.ok(Buffer.concat(slices).equals(expected));
  const { machine } = cluster.replay();
  assert.ok(
    Buffer.concat(machine.save()).equals(cluster.saved()),
    'the machine has the state of the replayed journal',
  );
});

test('an abandoned snapshot releases everything', () => {
  const cluster = lively();
  const saving = cluster.machine.beginSave();
  assert.throws(() => cluster.machine.beginSave(), /already/);
  saving.end();
  saving.end();
  assert.ok(ClusterMachine.restore(cluster.saved()));
});

test('a snapshot of the first version can be read', () => {
  const old = Buffer.from(firstVersion, 'base64');
  const cluster = new Cluster();
  cluster.execute({ kind: 'alterClusterConfigs', configs: { 'num.partitions': '2' } });
  cluster.create('first', 3, { 'retention.ms': '1000' });
  cluster.create('deleted', 1);
  for (let round = 0; round < 3; round++) {
    cluster.nowMs += 1000;
    cluster.commit(
      { topicId: 'first', partition: round % 3, producerId: 5, sequence: 0, timestampMs: round },
      { topicId: 'deleted', records: 4 },
    );
  }
  cluster.delete('deleted');
  assert.ok(Buffer.concat(ClusterMachine.restore(old).save()).equals(cluster.saved()));
});

test('equal states are equal bytes, whatever their history', () => {
  const direct = new Cluster();
  const detour = new Cluster();
  direct.create('a');
  detour.create('a');
  detour.execute({ kind: 'alterClusterConfigs', configs: { 'num.partitions': '3' } });
  detour.execute({ kind: 'alterClusterConfigs', configs: { 'num.partitions': null } });
  assert.ok(direct.saved().equals(detour.saved()));
  const set = (cluster: Cluster, name: string) =>
    cluster.execute({ kind: 'alterClusterConfigs', configs: { [name]: '5' } });
  for (const name of ['num.partitions', 'message.max.bytes']) set(direct, name);
  for (const name of ['message.max.bytes', 'num.partitions']) set(detour, name);
  assert.ok(direct.saved().equals(detour.saved()));
});

test('an empty machine can be saved', () => {
  const bytes = Buffer.concat(ClusterMachine.empty('vci_empty').save());
  assert.equal(ClusterMachine.restore(bytes).clusterId, 'vci_empty');
});

test('a snapshot with a lost or changed byte is refused', () => {
  const bytes = lively().saved();
  for (let position = 0; position < bytes.length; position += 13) {
    const changed = Buffer.from(bytes);
    changed[position]! ^= 0x20;
    assert.throws(() => ClusterMachine.restore(changed), UnreadableBytes, `byte ${position}`);
  }
  for (const length of [0, 7, 20, bytes.length - 1]) {
    assert.throws(() => ClusterMachine.restore(bytes.subarray(0, length)), UnreadableBytes);
  }
  assert.throws(() => ClusterMachine.restore(Buffer.concat([bytes, Buffer.of(0)])), /should hold/);
});

test('a snapshot of an unknown version is refused', () => {
  const bytes = Buffer.concat(ClusterMachine.empty('vci_test').save());
  bytes[12] = 99;
  assert.throws(() => ClusterMachine.restore(bytes), /version 99; this release reads 1 and 2/);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
  assert.throws(() => ClusterMachine.restore(bytes), {
    name: 'NewerFormat',
    message: /^written by a newer release \(snapshot version 99, this release reads up to 2\)/,
  });
});

test('a snapshot with another byte order is refused', () => {
  const bytes = Buffer.concat(ClusterMachine.empty('vci_test').save());
  bytes.subarray(8, 12).reverse();
  assert.throws(() => ClusterMachine.restore(bytes), /another byte order/);
});

test('a snapshot may start at any memory offset', () => {
  const bytes = lively().saved();
  const shifted = Buffer.concat([Buffer.of(0, 0, 0), bytes]).subarray(3);
  assert.ok(Buffer.concat(ClusterMachine.restore(shifted).save()).equals(bytes));
});

test('slices are small enough to be stored individually', () => {
  const cluster = new Cluster();
  cluster.create('a', 100);
  for (let round = 0; round < 400; round++) {
    cluster.commit(
      ...Array.from({ length: 500 }, (_, row) => ({ topicId: 'a', partition: row % 100, gap: 1 })),
    );
  }
  const slices = cluster.machine.save();
  assert.ok(slices.length > 10);
  assert.ok(Math.max(...slices.map(({ length }) => length)) <= 2 * 1024 * 1024);
  assert.ok(Buffer.concat(ClusterMachine.restore(Buffer.concat(slices)).save()).equals(cluster.saved()));
});
