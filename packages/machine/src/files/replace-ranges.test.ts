import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CompactionCommit } from '@weir/cluster';
import { Cluster } from '../../testing/cluster.ts';
import { fileIdOf } from '../../testing/file-commit.ts';
import { TestProducer } from '../../testing/transactional-producer.ts';
import { MalformedCommand } from '../command.ts';
import { machineLimits } from '../limits.ts';

const outputId = (number: number) => `0000000000001${fileIdOf(number).slice(13)}`;

interface RangeToReplace {
  readonly partition?: number;
  readonly from: number;
  readonly to: number;
}

/** One pointer per range, all in one file. */
function commitOf(
  cluster: Cluster,
  ranges: readonly RangeToReplace[],
  { inputs = [1, 2, 3, 4], output = 1, plannedMs = cluster.nowMs } = {},
): CompactionCommit {
  return {
    plannedMs,
    inputFileIds: inputs.map(fileIdOf),
    outputs: [{ fileId: outputId(output), fileBytes: 100 * ranges.length }],
    topicIds: ['a'],
    ranges: {
      topic: new Uint32Array(ranges.length),
      partition: Uint32Array.from(ranges, ({ partition = 0 }) => partition),
      fromOffset: Float64Array.from(ranges, ({ from }) => from),
      toOffset: Float64Array.from(ranges, ({ to }) => to),
      pointerCount: new Uint32Array(ranges.length).fill(1),
    },
    pointers: {
      file: new Uint32Array(ranges.length),
      byteStart: Uint32Array.from(ranges, (_, row) => 100 * row),
      byteLength: new Uint32Array(ranges.length).fill(100),
      baseOffset: Float64Array.from(ranges, ({ from }) => from),
      maxTimestampMs: new Float64Array(ranges.length),
    },
  };
}

/** Four files, each with a batch of ten records for both partitions. */
function fourFiles(): Cluster {
  const cluster = new Cluster();
  cluster.create('a', 2);
  for (let file = 1; file <= 4; file++) {
    cluster.commit(
      { topicId: 'a', records: 10, gap: 1 },
      { topicId: 'a', partition: 1, records: 10, gap: 1 },
    );
  }
  return cluster;
}

const replace = (cluster: Cluster, commit: CompactionCommit) => {
  const { outcome, isReplaced } = cluster.execute({ kind: 'replaceRanges', commit });
  return [outcome, ...isReplaced];
};

const filesOf = (cluster: Cluster, partition = 0) => {
  const { logStartOffset } = cluster.machine.findBatches([
    { topicId: 'a', partition, offset: -1, bytesMax: 0 },
  ])[0]!;
  const query = { topicId: 'a', partition, offset: logStartOffset, bytesMax: 1e9 };
  const { fileId, baseOffset } = cluster.machine.findBatches([query])[0]!.pointers;
  return fileId.map(
    (id, row) => `${id === outputId(1) ? 'new' : Number.parseInt(id, 16)}@${baseOffset[row]}`,
  );
};

const deadIds = ({ machine }: Cluster) =>
  machine.deadFiles({ deadBeforeMs: Number.POSITIVE_INFINITY, limit: 100 }).map(({ fileId }) => fileId);

test('inputs are dead when all of their ranges were replaced, and the second commit changes nothing', () => {
  const cluster = fourFiles();
  const commit = commitOf(cluster, [
    { from: 0, to: 40 },
    { partition: 1, from: 0, to: 40 },
  ]);
  assert.deepEqual(replace(cluster, commit), ['done', 1, 1]);
  assert.deepEqual([filesOf(cluster), filesOf(cluster, 1)], [['new@0'], ['new@0']]);
  assert.deepEqual(deadIds(cluster), [1, 2, 3, 4].map(fileIdOf));
  assert.deepEqual(cluster.machine.fileStats().levels, [
    { files: 0, bytes: 0, liveBytes: 0 },
    { files: 1, bytes: 200, liveBytes: 200 },
  ]);
  assert.deepEqual(cluster.machine.countFiles(), [0, 1]);
  assert.deepEqual(cluster.replay().changes.at(-1), {
    kind: 'replaced',
    topicId: 'a',
    partition: Uint32Array.of(0, 1),
    belowOffset: Float64Array.of(40, 40),
  });
  const entries = cluster.journal.length;
  assert.deepEqual(replace(cluster, commit), ['repeated']);
  assert.equal(cluster.journal.length, entries);
});

const refusals: [
  what: string,
  ranges: RangeToReplace[],
  change: (cluster: Cluster) => void,
  result: unknown[],
][] = [
  ['a range of other files', [{ from: 0, to: 40 }], () => {}, ['refused', 0]],
  ['a range that begins within a pointer', [{ from: 5, to: 20 }], () => {}, ['refused', 0]],
  ['a range that ends within a pointer', [{ from: 0, to: 15 }], () => {}, ['refused', 0]],
  ['a range beyond the end', [{ from: 30, to: 50 }], () => {}, ['refused', 0]],
  ['a partition that is not there', [{ partition: 7, from: 0, to: 20 }], () => {}, ['refused', 0]],
  [
    'one of two',
    [
      { from: 0, to: 20 },
      { partition: 1, from: 0, to: 40 },
    ],
    () => {},
    ['done', 1, 0],
  ],
  [
    'what was deleted meanwhile',
    [{ from: 0, to: 20 }],
    (cluster) =>
      cluster.execute({ kind: 'deleteRecords', partitions: [{ topicId: 'a', partition: 0, offset: 20 }] }),
    ['refused', 0],
  ],
  [
    'a removed topic',
    [{ from: 0, to: 20 }],
    (cluster) => cluster.execute({ kind: 'removeTopics', topics: [{ name: 'a' }] }),
    ['refused', 0],
  ],
  [
    'a plan of long ago',
    [{ from: 0, to: 20 }],
    (cluster) => {
      cluster.nowMs += 3 * 60 * 60_000;
    },
    ['refused', 0],
  ],
];

for (const [what, ranges, change, expected] of refusals) {
  test(`a range is refused alone: ${what}`, () => {
    const cluster = fourFiles();
    const commit = commitOf(cluster, ranges, { inputs: [1, 2] });
    change(cluster);
    assert.deepEqual(replace(cluster, commit), expected);
    const isUsed = expected[0] === 'done';
    assert.equal(deadIds(cluster).includes(outputId(1)), !isUsed, 'a file without pointers is dead at once');
  });
}

test('a job commits in parts, each of which needs that the files of the earlier ones are alive', () => {
  const cluster = fourFiles();
  const first = commitOf(cluster, [{ from: 0, to: 40 }]);
  const second = commitOf(cluster, [{ partition: 1, from: 0, to: 40 }]);
  const fileId = outputId(1);
  const whole = { fileId, fileBytes: 200 };
  const continued = { ...second, outputs: [{ ...whole, isContinued: true }] };
  const entries = () => cluster.journal.length;
  const before = entries();
  assert.deepEqual(replace(cluster, continued), ['refused', 0], 'no part came before');
  assert.equal(entries(), before);
  assert.deepEqual(replace(cluster, { ...first, outputs: [whole] }), ['done', 1]);
  assert.deepEqual(deadIds(cluster), [], 'the inputs still have pointers');
  const shorter = { ...second, outputs: [{ fileId, fileBytes: 100, isContinued: true }] };
  assert.deepEqual(replace(cluster, shorter), ['refused', 0], 'another file');
  assert.deepEqual(replace(cluster, continued), ['done', 1]);
  assert.deepEqual(filesOf(cluster, 1), ['new@0']);
  assert.deepEqual(deadIds(cluster), [1, 2, 3, 4].map(fileIdOf));
  const after = entries();
  assert.deepEqual(replace(cluster, continued), ['refused', 0], 'it has its effect once');
  assert.equal(entries(), after);
});

test('a part is refused whose file died meanwhile, and its new files are dead', () => {
  const cluster = fourFiles();
  const first = commitOf(cluster, [{ from: 0, to: 40 }]);
  assert.deepEqual(replace(cluster, first), ['done', 1]);
  cluster.execute({ kind: 'deleteRecords', partitions: [{ topicId: 'a', partition: 0, offset: 40 }] });
  assert.ok(deadIds(cluster).includes(outputId(1)));
  const second = commitOf(cluster, [{ partition: 1, from: 0, to: 40 }]);
  const parts = {
    ...second,
    outputs: [
      { fileId: outputId(1), fileBytes: 100, isContinued: true },
      { fileId: outputId(2), fileBytes: 100 },
    ],
  };
  assert.deepEqual(replace(cluster, parts), ['refused', 0]);
  assert.ok(deadIds(cluster).includes(outputId(2)));
  // Deleted and forgotten, after which its id is free.
  cluster.execute({ kind: 'forgetDeadFiles', fileIds: deadIds(cluster) });
  cluster.nowMs += 90 * 60_000;
  const late = { ...parts, plannedMs: cluster.nowMs, outputs: parts.outputs.slice(0, 1) };
  assert.deepEqual(replace(cluster, late), ['refused', 0]);
  assert.deepEqual(filesOf(cluster, 1), ['1@0', '2@10', '3@20', '4@30']);
  cluster.replay();
});

test('what a log lost at its front is not needed, and new pointers below its start are left out', () => {
  const cluster = fourFiles();
  const commit = commitOf(cluster, [{ from: 0, to: 40 }]);
  cluster.execute({ kind: 'deleteRecords', partitions: [{ topicId: 'a', partition: 0, offset: 25 }] });
  assert.deepEqual(filesOf(cluster), ['3@20', '4@30']);
  const cut = {
    ...commit,
    ranges: { ...commit.ranges, pointerCount: Uint32Array.of(3) },
    pointers: {
      file: Uint32Array.of(0, 0, 0),
      byteStart: Uint32Array.of(0, 30, 60),
      byteLength: Uint32Array.of(30, 30, 40),
      baseOffset: Float64Array.of(0, 10, 30),
      maxTimestampMs: Float64Array.of(0, 0, 0),
    },
  };
  assert.deepEqual(replace(cluster, cut), ['done', 1]);
  assert.deepEqual(filesOf(cluster), ['new@10', 'new@30']);
  assert.equal(cluster.machine.fileStats().levels[1]!.liveBytes, 70);
});

test('new files that were taken for orphans and deleted are not committed, for as long as a plan lives', () => {
  const { fileCommitMsMax, compactionMsMax } = machineLimits;
  assert.ok(compactionMsMax <= fileCommitMsMax, 'ids are remembered for as long as plans live');
  const cluster = new Cluster({ fileCommitMsMax, compactionMsMax });
  cluster.create('a', 2);
  cluster.commit({ topicId: 'a', records: 10 });
  cluster.nowMs = 10 * fileCommitMsMax;
  const before = filesOf(cluster);
  const commit = commitOf(cluster, [{ from: 0, to: 10 }]);
  const { fileId } = commit.outputs[0]!;
  assert.equal(cluster.execute({ kind: 'declareFilesDead', fileIds: [fileId], fileBytes: [1] }).length, 1);
  cluster.execute({ kind: 'forgetDeadFiles', fileIds: [fileId] });
  cluster.nowMs += compactionMsMax;
  assert.deepEqual(replace(cluster, commit), ['repeated']);
  assert.deepEqual(filesOf(cluster), before);
  assert.deepEqual(before, ['1@0']);
});

test('ranges of a deleted topic are replaced too, so that it can be restored', () => {
  const cluster = fourFiles();
  const commit = commitOf(cluster, [
    { from: 0, to: 40 },
    { partition: 1, from: 0, to: 40 },
  ]);
  cluster.delete('a');
  assert.deepEqual(replace(cluster, commit), ['done', 1, 1]);
  assert.deepEqual(cluster.replay().changes.at(-1)!.kind, 'topicDeleted', 'followers do not know the topic');
  cluster.execute({ kind: 'restoreTopics', topicIds: ['a'] });
  assert.deepEqual(filesOf(cluster), ['new@0']);
});

test('markers become part of the range, and transactions stay what they were', () => {
  const cluster = new Cluster();
  cluster.create('a');
  const producer = new TestProducer(cluster);
  producer.init();
  producer.send('a');
  producer.end(false);
  producer.send('a');
  producer.end(true);
  const query = [{ topicId: 'a', partition: 0, offset: 0, bytesMax: 1e9 }];
  const { pointers, ...before } = cluster.machine.findBatches(query)[0]!;
  assert.equal(pointers.markers!.row.length, 2);
  assert.deepEqual(replace(cluster, commitOf(cluster, [{ from: 0, to: 4 }])), ['done', 1]);
  const { pointers: replaced, ...after } = cluster.machine.findBatches(query)[0]!;
  assert.deepEqual(after, before);
  assert.deepEqual([replaced.fileId, replaced.markers], [[outputId(1)], undefined]);
  assert.equal(before.aborted!.firstOffset[0], 0);
});

test('a malformed commit is a mistake of the caller', () => {
  const cluster = fourFiles();
  const good = commitOf(cluster, [{ from: 0, to: 40 }]);
  const { ranges, pointers, outputs } = good;
  const mistakes: Partial<CompactionCommit>[] = [
    { plannedMs: -1 },
    { inputFileIds: ['x'] },
    { outputs: [] },
    { outputs: [...outputs, ...outputs] },
    { outputs: [{ fileId: fileIdOf(9), fileBytes: 100 }] },
    { outputs: [{ fileId: outputId(1), fileBytes: 99 }] },
    { inputFileIds: [outputId(1)] },
    { topicIds: [] },
    { ranges: { ...ranges, toOffset: Float64Array.of(0) } },
    { ranges: { ...ranges, pointerCount: Uint32Array.of(2) } },
    { ranges: { ...ranges, pointerCount: Uint32Array.of(0) } },
    { ranges: { ...ranges, partition: Uint32Array.of(0, 1) } },
    { pointers: { ...pointers, file: Uint32Array.of(1) } },
    { pointers: { ...pointers, byteLength: Uint32Array.of(0) } },
    { pointers: { ...pointers, baseOffset: Float64Array.of(1) } },
    { pointers: { ...pointers, maxTimestampMs: Float64Array.of(Number.NaN) } },
    commitOf(cluster, [
      { from: 0, to: 20 },
      { from: 10, to: 40 },
    ]),
  ];
  const before = cluster.saved();
  for (const [number, mistake] of mistakes.entries()) {
    const commit = { ...good, ...mistake };
    assert.throws(() => cluster.execute({ kind: 'replaceRanges', commit }), MalformedCommand, `${number}`);
  }
  assert.ok(cluster.saved().equals(before));
  assert.deepEqual(replace(cluster, good), ['done', 1]);
});
