import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from '../../testing/cluster.ts';
import { TestProducer } from '../../testing/transactional-producer.ts';

function find(cluster: Cluster, offset: number, bytesMax = 1_000_000) {
  return cluster.machine.findBatches([{ topicId: 'a', partition: 0, offset, bytesMax }])[0]!;
}

/** Aborted transactions as `producer:first-last`. */
function aborted(cluster: Cluster, offset: number, bytesMax?: number): string[] {
  const found = find(cluster, offset, bytesMax).aborted;
  return Array.from(found?.producerId ?? [], (producerId, row) => {
    return `${producerId}:${found!.firstOffset[row]}-${found!.lastOffset[row]}`;
  });
}

/**
 * Two producers and one without transactions, in one partition:
 *
 *     offset  0  1  2  3  4  5  6  7  8  9
 *             A  B  p  A  a  B  b  A  p  c       a, b: aborted; c: committed; p: plain
 */
function interleaved(cluster: Cluster): [what: string, stable: number][] {
  const one = new TestProducer(cluster, 'one');
  const two = new TestProducer(cluster, 'two');
  one.init();
  two.init();
  const stable: [string, number][] = [];
  const note = (what: string) => stable.push([what, find(cluster, 0, 0).lastStableOffset]);
  const steps: [string, () => unknown][] = [
    ['A', () => one.send('a')],
    ['B', () => two.send('a')],
    ['p', () => cluster.commit({ topicId: 'a' })],
    ['A', () => one.send('a')],
    ['a', () => one.end(false)],
    ['B', () => two.send('a')],
    ['b', () => two.end(false)],
    ['A', () => one.send('a')],
    ['p', () => cluster.commit({ topicId: 'a' })],
    ['c', () => one.end(true)],
  ];
  for (const [what, step] of steps) {
    step();
    note(what);
  }
  return stable;
}

test('the last stable offset waits for the transaction that began first, and never moves back', () => {
  const cluster = new Cluster();
  cluster.create('a');
  assert.deepEqual(interleaved(cluster), [
    ['A', 0],
    ['B', 0],
    ['p', 0],
    ['A', 0],
    ['a', 1],
    ['B', 1],
    ['b', 7],
    ['A', 7],
    ['p', 7],
    ['c', 10],
  ]);
});

// One pointer of 100 bytes per batch and 78 per marker: `bytesMax` determines where the answer ends.
const ranges: [offset: number, bytesMax: number, expected: string[]][] = [
  [0, 1_000_000, ['1:0-4', '2:1-6']],
  [0, 1, ['1:0-4']],
  [0, 101, ['1:0-4', '2:1-6']],
  [4, 1, ['1:0-4', '2:1-6']],
  [5, 1_000_000, ['2:1-6']],
  [6, 1, ['2:1-6']],
  [7, 1_000_000, []],
];

for (const [offset, bytesMax, expected] of ranges) {
  test(`from ${offset} on, ${bytesMax} bytes have ${expected.length} aborted transactions`, () => {
    const cluster = new Cluster();
    cluster.create('a');
    interleaved(cluster);
    assert.deepEqual(aborted(cluster, offset, bytesMax), expected);
  });
}

test('followers receive every end with its marker, the stable offset and aborted transactions', () => {
  const cluster = new Cluster();
  cluster.create('a');
  interleaved(cluster);
  const received = cluster.replay().changes.flatMap((change) => {
    if (change.kind !== 'appended') return [];
    const { pointers, lastStableOffset } = change;
    const marker =
      pointers.markers === undefined ? 'record' : pointers.markers.isCommit[0] === 1 ? 'commit' : 'abort';
    return [[marker, pointers.baseOffset[0], lastStableOffset, [...(change.aborted?.firstOffset ?? [])]]];
  });
  assert.deepEqual(received, [
    ['record', 0, 0, []],
    ['record', 1, 0, []],
    ['record', 2, 0, []],
    ['record', 3, 0, []],
    ['abort', 4, 1, [0]],
    ['record', 5, 1, []],
    ['abort', 6, 7, [1]],
    ['record', 7, 7, []],
    ['record', 8, 7, []],
    ['commit', 9, 10, []],
  ]);
});

test('a marker is returned like a range, without a file, with its transaction', () => {
  const cluster = new Cluster();
  cluster.create('a');
  interleaved(cluster);
  const { pointers } = find(cluster, 3);
  const { markers } = pointers;
  assert.deepEqual([...markers!.row], [1, 3, 6]);
  assert.deepEqual([...markers!.isCommit], [0, 0, 1]);
  assert.deepEqual([...markers!.producerId], [1, 2, 1]);
  assert.deepEqual([...markers!.producerEpoch], [1, 1, 2]);
  assert.deepEqual([...markers!.timestampMs], [1_000_000, 1_000_000, 1_000_000]);
  assert.deepEqual([pointers.fileId[1], pointers.byteStart[1], pointers.byteLength[1]], ['', 0, 78]);
  assert.deepEqual([pointers.baseOffset[1], pointers.nextOffset[1]], [4, 5]);
});

test('a partition that was added but never written gets a marker and no aborted transaction', () => {
  const cluster = new Cluster();
  cluster.create('a');
  const producer = new TestProducer(cluster, 'tx', { bumps: false });
  producer.init();
  producer.add(['a', 0]);
  assert.equal(find(cluster, 0).lastStableOffset, 0);
  producer.end(false);
  const { nextOffset, lastStableOffset, aborted: none } = find(cluster, 0);
  assert.deepEqual([nextOffset, lastStableOffset, none], [1, 1, undefined]);
});

for (const isGone of [false, true]) {
  test(`a topic that is ${isGone ? 'removed' : 'deleted'} meanwhile does not block the others, and followers see no marker`, () => {
    const cluster = new Cluster();
    cluster.execute({ kind: 'alterClusterConfigs', configs: { 'service.soft.delete.topic.ttl.ms': '1000' } });
    cluster.create('a');
    cluster.create('deleted');
    const producer = new TestProducer(cluster);
    producer.init();
    producer.send('deleted');
    producer.send('a');
    cluster.delete('deleted');
    if (isGone) {
      cluster.nowMs += 1000;
      cluster.execute({ kind: 'purge' });
    }
    assert.deepEqual(cluster.machine.describeTransactions(['tx'])[0]!.partitions, [
      { topicId: 'a', partition: 0 },
    ]);
    const received = cluster.replay().changes.length;
    assert.equal(producer.end(true), 'NONE');
    const { machine, changes } = cluster.replay();
    assert.deepEqual(
      changes.slice(received).map((change) => change.kind === 'appended' && change.topicId),
      ['a'],
    );
    assert.ok(Buffer.concat(machine.save()).equals(cluster.saved()));
    assert.deepEqual([find(cluster, 0).lastStableOffset, find(cluster, 0).nextOffset], [2, 2]);
  });
}
