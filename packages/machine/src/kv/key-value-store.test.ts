import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from '../../testing/cluster.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { entryKind } from '../entry-kind.ts';
import type { Namespace } from './namespaces.ts';

const put = (key: string, value: string | null, namespace: Namespace = 'group') => ({
  namespace,
  key,
  value: value === null ? null : Buffer.from(value),
});

function change(cluster: Cluster, ...changes: ReturnType<typeof put>[]): string {
  return cluster.execute({ kind: 'putEntries', changes }).error;
}

const textOf = (cluster: Cluster, key: string) => cluster.machine.kv.get('group', key)?.toString();

test('entries are put, replaced and removed together', () => {
  const cluster = new Cluster();
  assert.equal(change(cluster, put('a', '1'), put('b', '2'), put('b', '3', 'clientQuota')), 'NONE');
  assert.equal(change(cluster, put('a', '4'), put('b', null), put('c', '5')), 'NONE');
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => textOf(cluster, key)),
    ['4', undefined, '5'],
  );
  assert.equal(cluster.machine.kv.count, 3);
  assert.deepEqual(
    cluster.machine.snapshotForFollowers().records.map(({ namespace, key }) => [namespace, key]),
    [['clientQuota', 'b']],
  );
});

test('of several changes of one key the last takes effect', () => {
  const cluster = new Cluster();
  change(cluster, put('a', '1'), put('a', null), put('a', '2'), put('b', '1'), put('b', null));
  assert.deepEqual([textOf(cluster, 'a'), textOf(cluster, 'b')], ['2', undefined]);
});

test('a change without effect writes no journal entry', () => {
  const cluster = new Cluster();
  change(cluster, put('a', '1'));
  const before = cluster.saved();
  assert.equal(change(cluster, put('a', '1'), put('b', null)), 'NONE');
  assert.equal(cluster.journal.length, 1);
  assert.deepEqual(cluster.saved(), before);
});

const bounds: [what: string, limits: object, changes: ReturnType<typeof put>[]][] = [
  ['too many', { recordsMax: 2 }, [put('b', '1'), put('c', '1')]],
  ['too large', { kvValueBytesMax: 4 }, [put('b', '1'), put('c', '12345')]],
  ['total size above the limit', { recordBytesMax: 200 }, [put('b', '1'), put('c', 'x'.repeat(100))]],
];

for (const [what, limits, changes] of bounds) {
  test(`records are bounded: ${what}`, () => {
    const cluster = new Cluster(limits);
    change(cluster, put('a', '1'));
    const before = cluster.saved();
    assert.equal(change(cluster, ...changes), 'POLICY_VIOLATION');
    assert.deepEqual(cluster.saved(), before, 'entries are put all or none');
    assert.equal(
      change(cluster, put('a', null), put('b', '1')),
      'NONE',
      'an entry can replace another at the limit',
    );
  });
}

test('an entry with an unknown namespace is refused', () => {
  const writer = new ByteWriter();
  writer.u8(entryKind.entriesPut);
  writer.varint(1);
  writer.varint(1);
  writer.u8(200);
  writer.text('key');
  writer.varint(0);
  assert.throws(
    () => new Cluster().machine.apply(writer.take()),
    /does not support metadata entries of kind 200/,
  );
});

test('a stored value is a copy of the input', () => {
  const cluster = new Cluster();
  const value = Buffer.from('mine');
  cluster.execute({ kind: 'putEntries', changes: [{ namespace: 'group', key: 'a', value }] });
  value.fill(0);
  assert.equal(textOf(cluster, 'a'), 'mine');
});
