import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CloneEnd, TopicToClone } from '@weir/cluster';
import { Cluster } from '../../testing/cluster.ts';
import { fileIdOf } from '../../testing/file-commit.ts';
import { TestProducer } from '../../testing/transactional-producer.ts';
import { MalformedCommand } from '../command.ts';
import { ClusterMachine } from '../machine.ts';

function clone(
  cluster: Cluster,
  from: string,
  to: string,
  ends: CloneEnd[] = [],
  more: Partial<TopicToClone> = {},
) {
  const request = { sourceId: from, name: to, configs: {}, unsetConfigs: [], ends, ...more };
  return cluster.execute({ kind: 'cloneTopic', request, topicId: to });
}

/** Pointers of a partition, as `base-next@file+start+length`. */
function pointersOf({ machine }: Cluster, topicId: string, partition = 0, offset = 0): string[] {
  const [answer] = machine.findBatches([{ topicId, partition, offset, bytesMax: 1e9 }]);
  assert.equal(answer!.error, 'NONE');
  const { fileId, byteStart, byteLength, baseOffset, nextOffset, markers } = answer!.pointers;
  return fileId.map((id, row) =>
    markers?.row.includes(row)
      ? `${baseOffset[row]}-${nextOffset[row]} marker`
      : `${baseOffset[row]}-${nextOffset[row]}@${Number.parseInt(id, 16)}+${byteStart[row]}+${byteLength[row]}`,
  );
}

function endsOf({ machine }: Cluster, name: string): number[][] {
  const { logStartOffset, nextOffset, lastStableOffset } = machine.describePartitions([{ name }]);
  return Array.from(nextOffset, (next, partition) => [
    logStartOffset[partition]!,
    next,
    lastStableOffset[partition]!,
  ]);
}

/** The journal and a snapshot lead to the same state. */
function checkReplicas(cluster: Cluster): void {
  const saved = cluster.saved();
  assert.ok(Buffer.concat(cluster.replay().machine.save()).equals(saved), 'replayed');
  assert.ok(Buffer.concat(ClusterMachine.restore(saved, cluster.limits).save()).equals(saved), 'restored');
}

test('a clone begins with the pointers of its source, and both go on alone', () => {
  const cluster = new Cluster();
  cluster.create('orders', 2, { 'retention.ms': '60000', 'cleanup.policy': 'delete' });
  for (let file = 0; file < 40; file++) {
    cluster.commit({ topicId: 'orders', records: 2 }, { topicId: 'orders', partition: 1, gap: 5 });
  }
  const result = clone(cluster, 'orders', 'orders-debug', [], {
    configs: { 'retention.ms': '-1' },
    unsetConfigs: ['cleanup.policy'],
  });
  assert.equal(result.error, 'NONE');
  assert.deepEqual(
    [[...result.logStartOffset!], [...result.nextOffset!]],
    [
      [0, 0],
      [80, 40],
    ],
  );
  assert.deepEqual(result.topic, {
    topicId: 'orders-debug',
    name: 'orders-debug',
    partitionCount: 2,
    configs: { 'retention.ms': '-1' },
    createdMs: cluster.nowMs,
  });
  for (const partition of [0, 1])
    assert.deepEqual(
      pointersOf(cluster, 'orders-debug', partition),
      pointersOf(cluster, 'orders', partition),
    );
  const { levels, deadFiles } = cluster.machine.fileStats();
  assert.deepEqual([levels[0]!.files, levels[0]!.liveBytes, deadFiles], [40, 2 * 40 * 200, 0]);

  assert.deepEqual(cluster.commit({ topicId: 'orders-debug' }, { topicId: 'orders', gap: 1 }), [80, 80]);
  assert.notDeepEqual(pointersOf(cluster, 'orders-debug', 0, 80), pointersOf(cluster, 'orders', 0, 80));
  checkReplicas(cluster);
});

test('followers see the clone with its ends', () => {
  const cluster = new Cluster();
  cluster.create('orders', 2);
  cluster.commit({ topicId: 'orders', partition: 1, records: 3 });
  clone(cluster, 'orders', 'copy');
  const change = cluster.replay().changes.at(-1)!;
  assert.ok(change.kind === 'topicRestored');
  assert.equal(change.topic.name, 'copy');
  assert.deepEqual(
    [[...change.nextOffset], [...change.lastStableOffset]],
    [
      [0, 3],
      [0, 3],
    ],
  );
});

test('files live until the last topic that shares them is gone', () => {
  const cluster = new Cluster();
  cluster.create('orders');
  for (let file = 0; file < 3; file++) cluster.commit({ topicId: 'orders' });
  clone(cluster, 'orders', 'copy');
  clone(cluster, 'copy', 'copy-of-copy');
  cluster.execute({ kind: 'removeTopics', topics: [{ name: 'orders' }] });
  cluster.execute({ kind: 'deleteRecords', partitions: [{ topicId: 'copy', partition: 0, offset: 3 }] });
  assert.equal(cluster.machine.fileStats().deadFiles, 0);
  assert.deepEqual(pointersOf(cluster, 'copy-of-copy'), ['0-1@1+0+100', '1-2@2+0+100', '2-3@3+0+100']);
  cluster.delete('copy-of-copy');
  assert.equal(cluster.machine.fileStats().deadFiles, 0, 'it can be restored');
  cluster.nowMs += 86_400_000;
  cluster.execute({ kind: 'purge' });
  assert.deepEqual([cluster.machine.fileStats().deadFiles, cluster.machine.countFiles()], [3, [0]]);
  checkReplicas(cluster);
});

test('a clone keeps its pointers when those of the source are replaced by others', () => {
  const cluster = new Cluster();
  cluster.create('orders');
  for (let file = 0; file < 40; file++) cluster.commit({ topicId: 'orders' });
  clone(cluster, 'orders', 'copy');
  clone(cluster, 'orders', 'another');
  const before = pointersOf(cluster, 'copy');
  cluster.execute({ kind: 'deleteRecords', partitions: [{ topicId: 'another', partition: 0, offset: 20 }] });
  for (const name of ['orders', 'another']) cluster.execute({ kind: 'removeTopics', topics: [{ name }] });
  cluster.create('later');
  for (let file = 0; file < 60; file++) cluster.commit({ topicId: 'later' });
  assert.deepEqual(pointersOf(cluster, 'copy'), before);
  const { pointerBytes } = cluster.machine.stats();
  cluster.execute({ kind: 'removeTopics', topics: [{ name: 'copy' }] });
  assert.equal(
    pointerBytes - cluster.machine.stats().pointerBytes,
    3 * 16 * 28,
    'its last user frees a chunk',
  );
  checkReplicas(cluster);
});

test('a wanted end within a range needs the place of its batch; without it the range is left out', () => {
  const cluster = new Cluster();
  cluster.create('orders');
  cluster.commit({ topicId: 'orders', records: 4, timestampMs: 9 });
  cluster.commit(
    { topicId: 'orders', records: 2, timestampMs: 5 },
    { topicId: 'orders', records: 3, timestampMs: 8 },
  );
  assert.deepEqual(pointersOf(cluster, 'orders'), ['0-4@1+0+100', '4-9@2+0+200']);
  const boundary = { fileId: fileIdOf(2), byteStart: 0, byteLength: 100, maxTimestampMs: 5 };

  assert.deepEqual([...clone(cluster, 'orders', 'at-range', [{ partition: 0, offset: 4 }]).nextOffset!], [4]);
  assert.deepEqual(
    [...clone(cluster, 'orders', 'rounded', [{ partition: 0, offset: 6, roundsDown: true }]).nextOffset!],
    [4],
  );
  assert.deepEqual(
    [...clone(cluster, 'orders', 'exact', [{ partition: 0, offset: 6, boundary }]).nextOffset!],
    [6],
  );
  assert.deepEqual([...clone(cluster, 'orders', 'none', [{ partition: 0, offset: 0 }]).nextOffset!], [0]);
  assert.deepEqual(pointersOf(cluster, 'at-range'), ['0-4@1+0+100']);
  assert.deepEqual(pointersOf(cluster, 'rounded'), ['0-4@1+0+100']);
  assert.deepEqual(pointersOf(cluster, 'exact'), ['0-4@1+0+100', '4-6@2+0+100']);
  assert.deepEqual(pointersOf(cluster, 'none'), []);
  assert.deepEqual(cluster.commit({ topicId: 'exact' }), [6], 'the next record gets the offset of the cut');
  const [byTime] = cluster.machine.findOffsets([
    { topicId: 'exact', partition: 0, want: 'first', timestampMs: 8 },
  ]);
  assert.deepEqual([...byTime!.pointers.baseOffset], [0]);

  for (const wrong of [{ fileId: fileIdOf(1) }, { byteStart: 100 }, { byteLength: 0 }, { byteLength: 200 }]) {
    const end = { partition: 0, offset: 6, boundary: { ...boundary, ...wrong } };
    assert.equal(clone(cluster, 'orders', 'moved', [end]).error, 'SOURCE_CHANGED');
  }
  checkReplicas(cluster);
});

test('a log that lost its head is cloned from its start', () => {
  const cluster = new Cluster();
  cluster.create('orders');
  for (let file = 0; file < 50; file++) cluster.commit({ topicId: 'orders', records: 2, timestampMs: file });
  cluster.execute({ kind: 'deleteRecords', partitions: [{ topicId: 'orders', partition: 0, offset: 41 }] });
  clone(cluster, 'orders', 'copy', [{ partition: 0, offset: 60 }]);
  assert.deepEqual(endsOf(cluster, 'copy'), [[41, 60, 60]]);
  assert.deepEqual(pointersOf(cluster, 'copy', 0, 41), pointersOf(cluster, 'orders', 0, 41).slice(0, 10));
  for (const [timestampMs, base] of [
    [25, 50],
    [29, 58],
    [30, undefined],
  ] as const) {
    const [found] = cluster.machine.findOffsets([
      { topicId: 'copy', partition: 0, want: 'first', timestampMs },
    ]);
    assert.equal(found!.pointers.baseOffset[0], base);
  }
  // Before the first batch that begins behind the start there is nothing to end at.
  assert.deepEqual([...clone(cluster, 'orders', 'empty', [{ partition: 0, offset: 41 }]).nextOffset!], [41]);
  assert.deepEqual(pointersOf(cluster, 'empty', 0, 41), []);
  assert.deepEqual(cluster.commit({ topicId: 'empty' }), [41]);
  checkReplicas(cluster);
});

test('a clone ends before open transactions', () => {
  const cluster = new Cluster();
  cluster.create('orders');
  cluster.commit({ topicId: 'orders', records: 2 });
  const producer = new TestProducer(cluster);
  producer.init();
  assert.equal(producer.send('orders', 0, 3), 2);
  cluster.commit({ topicId: 'orders' });
  assert.deepEqual([...clone(cluster, 'orders', 'copy').nextOffset!], [2]);
  assert.equal(clone(cluster, 'orders', 'later', [{ partition: 0, offset: 3 }]).error, 'OFFSET_OUT_OF_RANGE');
  producer.end(true);
  assert.deepEqual(endsOf(cluster, 'copy'), [[0, 2, 2]]);
  assert.deepEqual([...clone(cluster, 'orders', 'all').nextOffset!], [7]);
  checkReplicas(cluster);
});

test('records of an aborted transaction stay invisible, also if the clone ends before its marker', () => {
  const cluster = new Cluster();
  cluster.create('orders');
  const [first, second] = ['a', 'b'].map((id) => new TestProducer(cluster, id)) as [
    TestProducer,
    TestProducer,
  ];
  for (const producer of [first, second]) producer.init();
  first.send('orders');
  second.send('orders');
  cluster.commit({ topicId: 'orders' });
  const [id, other] = [first.producerId, second.producerId];
  first.end(false);
  cluster.commit({ topicId: 'orders' });
  second.end(false);
  const aborted = (topicId: string) => {
    const [answer] = cluster.machine.findBatches([{ topicId, partition: 0, offset: 0, bytesMax: 1e9 }]);
    const { producerId = [], firstOffset = [], lastOffset = [] } = answer!.aborted ?? {};
    return Array.from(producerId, (producer, row) => [producer, firstOffset[row], lastOffset[row]]);
  };
  assert.deepEqual(aborted('orders'), [
    [id, 0, 3],
    [other, 1, 5],
  ]);
  clone(cluster, 'orders', 'before-both', [{ partition: 0, offset: 3 }]);
  assert.deepEqual(endsOf(cluster, 'before-both'), [[0, 5, 5]]);
  assert.deepEqual(pointersOf(cluster, 'before-both').slice(3), ['3-4 marker', '4-5 marker']);
  assert.deepEqual(aborted('before-both'), [
    [id, 0, 3],
    [other, 1, 4],
  ]);
  clone(cluster, 'orders', 'between', [{ partition: 0, offset: 4 }]);
  assert.deepEqual(aborted('between'), [
    [id, 0, 3],
    [other, 1, 4],
  ]);
  clone(cluster, 'orders', 'one-record', [{ partition: 0, offset: 1 }]);
  assert.deepEqual([endsOf(cluster, 'one-record'), aborted('one-record')], [[[0, 2, 2]], [[id, 0, 1]]]);
  clone(cluster, 'orders', 'all');
  assert.deepEqual(aborted('all'), aborted('orders'));
  checkReplicas(cluster);
});

test('what is wrong is said, and changes nothing', () => {
  const cluster = new Cluster({ clonePointersMax: 3 });
  cluster.create('orders', 2);
  cluster.execute({
    kind: 'createTopics',
    topics: [{ name: 'taken', partitionCount: 1, configs: {} }],
    topicIds: ['other'],
    validateOnly: false,
  });
  for (let file = 0; file < 3; file++) cluster.commit({ topicId: 'orders' });
  const saved = cluster.saved();
  const cases: [from: string, to: string, ends: CloneEnd[], error: string, message: RegExp][] = [
    ['none', 'copy', [], 'UNKNOWN_TOPIC_ID', /Topic with id none does not exist/],
    ['orders', 'taken', [], 'TOPIC_ALREADY_EXISTS', /Topic taken already exists/],
    ['orders', 'no good', [], 'INVALID_TOPIC_EXCEPTION', /./],
    ['orders', 'copy', [{ partition: 2, offset: 0 }], 'UNKNOWN_TOPIC_OR_PARTITION', /no partition 2/],
    ['orders', 'copy', [{ partition: 0, offset: 4 }], 'OFFSET_OUT_OF_RANGE', /from 0 to 3, not 4/],
  ];
  for (const [from, to, ends, error, message] of cases) {
    const result = clone(cluster, from, to, ends);
    assert.equal(result.error, error);
    assert.match(result.message!, message);
  }
  const wrongConfig = clone(cluster, 'orders', 'copy', [], { configs: { 'retention.ms': 'soon' } });
  assert.equal(wrongConfig.error, 'INVALID_CONFIG');
  const compacted = clone(cluster, 'orders', 'copy', [], { configs: { 'cleanup.policy': 'compact' } });
  assert.match(compacted.message!, /is not compacted and may have records without keys/);
  for (const ends of [
    [{ partition: 0, offset: 1.5 }],
    [{ partition: -1, offset: 1 }],
    [
      { partition: 0, offset: 1 },
      { partition: 0, offset: 2 },
    ],
  ])
    assert.throws(() => clone(cluster, 'orders', 'copy', ends), MalformedCommand);
  assert.throws(
    () =>
      cluster.execute({
        kind: 'cloneTopic',
        topicId: 'orders',
        request: { sourceId: 'orders', name: 'copy', configs: {}, unsetConfigs: [], ends: [] },
      }),
    MalformedCommand,
  );
  assert.ok(cluster.saved().equals(saved));
  cluster.commit({ topicId: 'orders' });
  const tooMany = clone(cluster, 'orders', 'copy');
  assert.deepEqual([tooMany.error, /at most 3/.test(tooMany.message!)], ['POLICY_VIOLATION', true]);
  assert.equal(clone(cluster, 'orders', 'copy', [{ partition: 0, offset: 3 }]).error, 'NONE');
});

test('partitions and pointers of the cluster are bounded', () => {
  const cluster = new Cluster({ partitionsPerClusterMax: 3, pointersHeldMax: 33 });
  cluster.create('wide', 2);
  assert.equal(clone(cluster, 'wide', 'copy').error, 'POLICY_VIOLATION');
  cluster.delete('wide');
  cluster.create('orders');
  for (let file = 0; file < 17; file++) cluster.commit({ topicId: 'orders' });
  assert.match(clone(cluster, 'orders', 'copy').message!, /Delete clones/);
});

test('a repeated request clones once', () => {
  const cluster = new Cluster();
  cluster.create('orders');
  cluster.commit({ topicId: 'orders' });
  const request = { sourceId: 'orders', name: 'copy', configs: {}, unsetConfigs: [], ends: [] };
  const first = cluster.request('client:1', { kind: 'cloneTopic', request, topicId: 'one' });
  const again = cluster.request('client:1', { kind: 'cloneTopic', request, topicId: 'two' });
  assert.deepEqual(again, first);
  assert.equal(cluster.machine.topicById('two'), undefined);
});
