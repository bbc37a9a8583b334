import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CompactionCommit, KeyCompactionJob } from '@weir/cluster';
import { Cluster } from '../../testing/cluster.ts';
import { fileCommit, fileIdOf } from '../../testing/file-commit.ts';
import { TestProducer } from '../../testing/transactional-producer.ts';
import { ClusterMachine } from '../machine.ts';
import type { MachineLimits } from '../machine-limits.ts';
import type { KeyPlanExclusions } from './plan-key-compaction.ts';

const minuteMs = 60_000;
const activeMs = 15 * minuteMs;

/** A cluster with a compacted topic `a` of two partitions. */
class Table {
  readonly cluster: Cluster;
  #files = 0;
  #outputs = 0;

  constructor(configs: Readonly<Record<string, string>> = {}, limits: Partial<MachineLimits> = {}) {
    this.cluster = new Cluster(limits);
    this.cluster.nowMs = 1e12;
    this.cluster.create('a', 2, { 'cleanup.policy': 'compact', ...configs });
  }

  idAt(timeMs: number, level: number, number: number): string {
    return timeMs.toString(16).padStart(12, '0') + level.toString(16) + fileIdOf(number).slice(13);
  }

  /** Commits a file of now with one batch of ten records. */
  write(partition = 0, bytes = 100, timestampMs = this.cluster.nowMs): void {
    const { nowMs } = this.cluster;
    const batch = { topicId: 'a', partition, records: 10, bytes, timestampMs };
    this.cluster.commitFile({ ...fileCommit(0, [batch]), fileId: this.idAt(nowMs, 0, ++this.#files) });
  }

  pass(ms: number): this {
    this.cluster.nowMs += ms;
    return this;
  }

  plan(exclusions: Partial<KeyPlanExclusions> = {}) {
    const steps = this.cluster.machine.planKeyCompaction(this.cluster.nowMs, {
      isFileClaimed: () => false,
      isPartitionOpen: () => false,
      ...exclusions,
    });
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
    }
  }

  /** What the plan compacts: partition, first dirty offset and end of each range. */
  planned(exclusions?: Partial<KeyPlanExclusions>): string[] {
    return this.plan(exclusions).jobs.flatMap(({ ranges, keys }) =>
      Array.from(
        ranges.partition,
        (partition, range) =>
          `${partition}: ${ranges.fromOffset[range]} ${keys.dirtyOffset[range]} ${ranges.toOffset[range]}`,
      ),
    );
  }

  /** The commit of a job as an agent sends it that writes one pointer per range. */
  commitOf(
    { plannedMs, level, inputs, topicIds, ranges }: KeyCompactionJob,
    { bytes = 50, droppedAborts = [] as number[], cleanOffset = (end: number) => end } = {},
  ): CompactionCommit {
    const rows = ranges.topic.length;
    return {
      plannedMs,
      inputFileIds: inputs.map(({ fileId }) => fileId),
      outputs: [
        { fileId: this.idAt(this.cluster.nowMs, level, 1000 + ++this.#outputs), fileBytes: bytes * rows },
      ],
      topicIds,
      ranges: { ...ranges, pointerCount: new Uint32Array(rows).fill(1) },
      pointers: {
        file: new Uint32Array(rows),
        byteStart: Uint32Array.from({ length: rows }, (_, row) => bytes * row),
        byteLength: new Uint32Array(rows).fill(bytes),
        baseOffset: ranges.fromOffset,
        maxTimestampMs: new Float64Array(rows).fill(this.cluster.nowMs),
      },
      keys: {
        partitions: {
          topic: ranges.topic,
          partition: ranges.partition,
          cleanOffset: ranges.toOffset.map(cleanOffset),
          droppedAbortCount: Uint32Array.from({ length: rows }, (_, row) =>
            row === 0 ? droppedAborts.length : 0,
          ),
        },
        droppedAborts: Float64Array.from(droppedAborts),
      },
    };
  }

  run(commit: CompactionCommit) {
    const { outcome, isReplaced } = this.cluster.execute({ kind: 'replaceRanges', commit });
    return [outcome, ...isReplaced];
  }

  alter(configs: Readonly<Record<string, string>>): void {
    const changes = Object.entries(configs).map(
      ([name, value]) => ({ name, operation: 'set', value }) as const,
    );
    const resources = [{ kind: 'topic', name: 'a', replacesAll: false, changes } as const];
    const [result] = this.cluster.execute({ kind: 'alterConfigs', resources, validateOnly: false });
    assert.equal(result!.error, 'NONE');
  }
}

test('a partition is compacted from its start on, and again when enough of it is new', () => {
  const table = new Table();
  for (let file = 0; file < 4; file++) table.write();
  assert.deepEqual(table.planned(), [], 'all of it is the active segment');
  table.pass(activeMs);
  assert.deepEqual(table.planned(), ['0: 0 0 40']);
  const [job] = table.plan().jobs;
  assert.deepEqual([job!.level, job!.inputs.length, table.plan().names], [1, 4, [['a-0']]]);
  assert.deepEqual(table.run(table.commitOf(job!, { bytes: 100 })), ['done', 1]);
  assert.deepEqual(table.planned(), []);
  table.write();
  table.pass(activeMs);
  // Half of the bytes are new, and more than half have to be.
  assert.deepEqual(table.planned(), []);
  assert.equal(table.plan().dirtyRatioMax, 0.5);
  table.write();
  table.pass(activeMs);
  assert.deepEqual(table.planned(), ['0: 0 40 60']);
});

const rules: [
  what: string,
  configs: Readonly<Record<string, string>>,
  write: (table: Table) => void,
  planned: readonly string[],
][] = [
  ['another policy', { 'cleanup.policy': 'delete' }, (table) => table.write(), []],
  ['both policies', { 'cleanup.policy': 'compact,delete' }, (table) => table.write(), ['0: 0 0 10']],
  [
    'the dirtier partition comes first',
    { 'min.cleanable.dirty.ratio': '0' },
    (table) => {
      for (const partition of [0, 1]) table.write(partition);
      table.pass(activeMs);
      const [job] = table.plan().jobs;
      assert.deepEqual(table.run(table.commitOf(job!)), ['done', 1, 1]);
      table.write(0);
      table.write(1);
      table.write(1);
    },
    ['1: 0 10 30', '0: 0 10 20'],
  ],
  [
    'records younger than min.compaction.lag.ms stay',
    { 'min.compaction.lag.ms': `${2 * activeMs}` },
    (table) => {
      table.write(0, 100, table.cluster.nowMs - 2 * activeMs);
      table.write();
    },
    ['0: 0 0 10'],
  ],
  [
    'a record has waited for max.compaction.lag.ms',
    { 'min.cleanable.dirty.ratio': '1', 'max.compaction.lag.ms': `${activeMs - 1}` },
    (table) => table.write(),
    ['0: 0 0 10'],
  ],
  [
    'no record has waited for so long',
    { 'min.cleanable.dirty.ratio': '1', 'max.compaction.lag.ms': `${activeMs + 1}` },
    (table) => table.write(),
    [],
  ],
  [
    'an open transaction, and what follows it, stays',
    {},
    (table) => {
      table.write();
      const producer = new TestProducer(table.cluster);
      producer.init();
      producer.send('a');
      table.write();
    },
    ['0: 0 0 10'],
  ],
];

for (const [what, configs, write, planned] of rules) {
  test(`what is planned: ${what}`, () => {
    const table = new Table(configs);
    write(table);
    assert.deepEqual(table.pass(activeMs).planned(), planned);
  });
}

test('segment.ms shortens the active segment', () => {
  const table = new Table({ 'segment.ms': '1000' });
  table.write();
  assert.deepEqual(table.pass(999).planned(), []);
  assert.deepEqual(table.pass(1).planned(), ['0: 0 0 10']);
});

test('partitions of other jobs are left out, and files of a merge are reserved', () => {
  const table = new Table();
  table.write(0);
  table.write(1);
  table.pass(activeMs);
  assert.deepEqual(table.planned({ isPartitionOpen: (_, partition) => partition === 0 }), ['1: 0 0 10']);
  const [{ inputs }] = table.plan().jobs as [KeyCompactionJob];
  const isFileClaimed = (fileId: string) => fileId === inputs[0]!.fileId;
  const { jobs, reservedFileIds } = table.plan({ isFileClaimed });
  assert.deepEqual([jobs.length, reservedFileIds], [1, [inputs[0]!.fileId]]);
});

test('small partitions share a job, and a large one has its own', () => {
  const table = new Table({}, { keyCompactionJobBytes: 250 });
  table.write(0);
  table.write(1);
  table.pass(activeMs);
  assert.deepEqual(table.plan().names, [['a-0', 'a-1']]);
  table.write(1, 300);
  table.pass(activeMs);
  assert.deepEqual(
    table.plan().names.map(({ length }) => length),
    [1, 1],
  );
});

test('a job has a limited number of new pointers, and the next one continues', () => {
  const table = new Table({}, { keyCompactionDirtyPointersMax: 3 });
  for (let file = 0; file < 5; file++) table.write();
  table.pass(activeMs);
  assert.deepEqual(table.planned(), ['0: 0 0 30']);
  // Not all of the range was compacted, because the map of the agent was full.
  const [job] = table.plan().jobs;
  table.run(table.commitOf(job!, { cleanOffset: () => 25 }));
  assert.deepEqual(table.planned(), ['0: 0 25 50']);
});

test('the ranges of a partition are replaced together or not at all', () => {
  const table = new Table();
  for (const partition of [0, 0, 1]) table.write(partition);
  table.pass(activeMs);
  const [job] = table.plan().jobs;
  const commit = table.commitOf(job!);
  // As if a damaged range lay between two ranges of partition 0, of which the second changed meanwhile.
  const split: CompactionCommit = {
    ...commit,
    ranges: {
      topic: Uint32Array.of(0, 0, 0),
      partition: Uint32Array.of(0, 0, 1),
      fromOffset: Float64Array.of(0, 15, 0),
      toOffset: Float64Array.of(10, 20, 10),
      pointerCount: Uint32Array.of(1, 1, 1),
    },
    outputs: [{ ...commit.outputs[0]!, fileBytes: 150 }],
    pointers: {
      file: new Uint32Array(3),
      byteStart: Uint32Array.of(0, 50, 100),
      byteLength: new Uint32Array(3).fill(50),
      baseOffset: Float64Array.of(0, 15, 0),
      maxTimestampMs: new Float64Array(3),
    },
  };
  assert.deepEqual(table.run(split), ['done', 0, 0, 1]);
  assert.deepEqual(table.planned(), ['0: 0 0 20']);
  // What lies below the log start needs no replacement.
  table.alter({ 'cleanup.policy': 'compact,delete' });
  const partitions = [{ topicId: 'a', partition: 0, offset: 10 }];
  table.cluster.execute({ kind: 'deleteRecords', partitions });
  const [rest] = table.plan().jobs;
  assert.deepEqual(table.run(table.commitOf(rest!)), ['done', 1]);
  assert.deepEqual(table.planned(), []);
});

const refusals: [what: string, change: (table: Table) => void][] = [
  ['the topic is not compacted any more', (table) => table.alter({ 'cleanup.policy': 'delete' })],
  ['the topic was deleted', ({ cluster }) => void cluster.delete('a')],
  ['the plan is too old', (table) => void table.pass(3 * 60 * minuteMs)],
];

for (const [what, change] of refusals) {
  test(`a commit is refused: ${what}`, () => {
    const table = new Table();
    table.write();
    table.pass(activeMs);
    const [job] = table.plan().jobs;
    change(table);
    assert.deepEqual(table.run(table.commitOf(job!)), ['refused', 0]);
    if (what === 'the plan is too old') assert.deepEqual(table.planned(), ['0: 0 0 10'], 'it is dirty still');
  });
}

test('policies change on a live topic, and what was compacted stays known', () => {
  const table = new Table({ 'cleanup.policy': 'delete', 'retention.ms': '-1' });
  table.write();
  table.pass(activeMs);
  for (const policy of ['compact', 'delete', 'compact,delete']) {
    table.alter({ 'cleanup.policy': policy });
    assert.deepEqual(table.planned(), policy === 'delete' ? [] : ['0: 0 0 10'], policy);
  }
  const [job] = table.plan().jobs;
  table.run(table.commitOf(job!));
  table.alter({ 'cleanup.policy': 'delete' });
  table.write();
  table.pass(activeMs);
  table.alter({ 'cleanup.policy': 'compact' });
  assert.deepEqual(table.planned(), ['0: 0 10 20']);
});

test('a commit takes effect once, and journal and snapshots have its result', () => {
  const table = new Table();
  const { cluster } = table;
  const producer = new TestProducer(cluster);
  producer.init();
  for (const isCommit of [false, false, true]) {
    producer.send('a', 0, 3);
    producer.end(isCommit);
  }
  table.pass(activeMs);
  const [job] = table.plan().jobs;
  assert.deepEqual(
    [...job!.aborted.lastOffset].map((offset, row) => [job!.aborted.firstOffset[row], offset]),
    [
      [0, 3],
      [4, 7],
    ],
  );
  const commit = table.commitOf(job!, { droppedAborts: [3] });
  assert.deepEqual(table.run(commit), ['done', 1]);
  const entries = cluster.journal.length;
  assert.deepEqual(table.run(commit), ['repeated']);
  assert.equal(cluster.journal.length, entries);
  const abortsOf = (machine: ClusterMachine) => [
    ...machine.findBatches([{ topicId: 'a', partition: 0, offset: 0, bytesMax: 1e9 }])[0]!.aborted!
      .lastOffset,
  ];
  assert.deepEqual(abortsOf(cluster.machine), [7]);
  const saved = cluster.saved();
  assert.ok(Buffer.concat(cluster.replay().machine.save()).equals(saved));
  const restored = ClusterMachine.restore(saved);
  assert.ok(Buffer.concat(restored.save()).equals(saved));
  assert.deepEqual(abortsOf(restored), [7]);
  const steps = restored.planKeyCompaction(cluster.nowMs, {
    isFileClaimed: () => false,
    isPartitionOpen: () => false,
  });
  assert.deepEqual((steps.next().value as { readonly dueCount: number }).dueCount, 0);
});

test('a partition that was due at a time and is still dirty is late', () => {
  const table = new Table({ 'max.compaction.lag.ms': String(60 * minuteMs) });
  const late = (agoMs: number) => {
    const steps = table.cluster.machine.keyCompactionBacklog(table.cluster.nowMs - agoMs);
    for (;;) {
      const step = steps.next();
      if (step.done)
        return step.value.map(({ partition, dueMs }) => [partition, table.cluster.nowMs - dueMs]);
    }
  };
  table.write(1);
  assert.deepEqual(late(0), [], 'the active segment is not due');
  table.pass(20 * minuteMs);
  assert.deepEqual(late(0), [[1, 0]]);
  assert.deepEqual(late(10 * minuteMs), [], 'it was not due then');
  table.pass(50 * minuteMs);
  assert.deepEqual(late(0), [[1, 10 * minuteMs]], 'due by the lag since then');
  table.run(table.commitOf(table.plan().jobs[0]!));
  assert.deepEqual(late(0), []);
});
