import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CompactionCommit, type CompactionJob, noRangeFile } from '@weir/cluster';
import { fileIdLevel } from '@weir/core';
import fc from 'fast-check';
import { Cluster } from '../../testing/cluster.ts';
import { type BatchToCommit, fileCommit, fileIdOf } from '../../testing/file-commit.ts';
import { TestProducer } from '../../testing/transactional-producer.ts';
import type { MachineLimits } from '../machine-limits.ts';

const small: Partial<MachineLimits> = {
  compactionFanIn: 4,
  compactionPointersMax: 30,
  compactionJobsPerPlanMax: 3,
  compactionRowsPerStep: 3,
};

class Compactor {
  readonly cluster: Cluster;
  #files = 0;
  #outputs = 0;

  constructor(limits: Partial<MachineLimits> = {}) {
    this.cluster = new Cluster({ ...small, ...limits });
    for (const name of ['a', 'b']) this.cluster.create(name, 2);
  }

  /** Commits a file whose id has the time of the cluster. */
  commit(...batches: BatchToCommit[]): string {
    const fileId = this.#idAt(this.cluster.nowMs, 0, ++this.#files);
    this.cluster.commitFile({ ...fileCommit(0, batches), fileId });
    return fileId;
  }

  #idAt(timeMs: number, level: number, number: number): string {
    return timeMs.toString(16).padStart(12, '0') + level.toString(16) + fileIdOf(number).slice(13);
  }

  plan(between: () => void = () => {}, excluded: readonly string[] = []): CompactionJob[] {
    const steps = this.cluster.machine.planCompaction(this.cluster.nowMs, new Set(excluded));
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) return step.value;
      between();
    }
  }

  /** Commits a job as an agent would that writes one file, with a pointer per range. */
  run({ plannedMs, level, inputs, topicIds, ranges, pointers }: CompactionJob, fileBytes?: number) {
    const rows = ranges.topic.length;
    let row = 0;
    const maxTimestampMs = Float64Array.from(ranges.pointerCount, (count) => {
      const timestamps = pointers.maxTimestampMs.subarray(row, row + count);
      row += count;
      return Math.max(...timestamps);
    });
    const commit: CompactionCommit = {
      plannedMs,
      inputFileIds: inputs.map(({ fileId }) => fileId),
      outputs: [
        { fileId: this.#idAt(this.cluster.nowMs, level, ++this.#outputs), fileBytes: fileBytes ?? 10 * rows },
      ],
      topicIds,
      ranges: { ...ranges, pointerCount: new Uint32Array(rows).fill(1) },
      pointers: {
        file: new Uint32Array(rows),
        byteStart: Uint32Array.from(ranges.topic, (_, range) => 10 * range),
        byteLength: new Uint32Array(rows).fill(10),
        baseOffset: ranges.fromOffset,
        maxTimestampMs,
      },
    };
    return this.cluster.execute({ kind: 'replaceRanges', commit });
  }

  counts(): readonly number[] {
    return this.cluster.machine.countFiles();
  }
}

test('full groups of the oldest files are merged, and the rest when it has waited', () => {
  const compactor = new Compactor();
  const { cluster } = compactor;
  const fileIds = Array.from({ length: 10 }, () => {
    cluster.nowMs += 1000;
    return compactor.commit({ topicId: 'a' }, { topicId: 'b', partition: 1, gap: 5 });
  });
  assert.deepEqual(compactor.plan(), [], 'all are young');
  cluster.nowMs += 9000;
  const jobs = compactor.plan();
  assert.deepEqual(
    jobs.map(({ level, inputs }) => [level, ...inputs.map(({ fileId }) => fileIds.indexOf(fileId))]),
    [
      [1, 0, 1, 2, 3],
      [1, 4, 5, 6, 7],
    ],
  );
  const { topicIds, ranges, pointers } = jobs[1]!;
  assert.deepEqual(topicIds, ['a', 'b']);
  assert.deepEqual(ranges, {
    topic: Uint32Array.of(0, 1),
    partition: Uint32Array.of(0, 1),
    fromOffset: Float64Array.of(4, 4),
    toOffset: Float64Array.of(8, 8),
    pointerCount: Uint32Array.of(4, 4),
  });
  assert.deepEqual(pointers.byteStart, Uint32Array.of(0, 0, 0, 0, 105, 105, 105, 105));
  const inputs = jobs[0]!.inputs.map(({ fileId }) => fileId);
  assert.deepEqual(
    compactor.plan(() => {}, inputs)[0]!.inputs[0]!.fileId,
    fileIds[4],
    'files of a job that runs',
  );
  for (const job of jobs) assert.equal(compactor.run(job).outcome, 'done');
  assert.deepEqual(compactor.counts(), [2, 2]);
  cluster.nowMs += 10 * 60_000;
  const [late] = compactor.plan();
  assert.deepEqual(
    late!.inputs.map(({ fileId }) => fileIds.indexOf(fileId)),
    [8, 9],
  );
  compactor.run(late!);
  assert.deepEqual(compactor.counts(), [0, 3]);
  cluster.nowMs += 10 * 60_000;
  assert.deepEqual(compactor.plan(), [], 'higher levels wait longer');
  cluster.nowMs += 30 * 60_000;
  assert.equal(compactor.plan()[0]!.level, 2);
});

test('files that are large enough stay, and are rewritten when less than half of them is alive', () => {
  const compactor = new Compactor({ compactedFileBytesMax: 60 });
  const { cluster } = compactor;
  for (let file = 0; file < 4; file++) {
    compactor.commit({ topicId: 'a', bytes: 10 }, { topicId: 'b', bytes: 10, gap: 1 });
  }
  cluster.nowMs += 20_000;
  // Three files have 60 bytes.
  assert.deepEqual(
    compactor.plan().map(({ inputs }) => inputs.length),
    [3],
  );
  compactor.run(compactor.plan()[0]!, 1_000);
  cluster.nowMs += 20 * 60_000;
  // Of 1,000 bytes 20 are alive: the file is sparse. A file alone of level 0 waits for others.
  const [sparse, ...others] = compactor.plan();
  assert.deepEqual([sparse!.level, sparse!.inputs.length, others], [1, 1, []]);
  assert.equal(fileIdLevel(sparse!.inputs[0]!.fileId), 1);
  compactor.run(sparse!, 300);
  assert.deepEqual(compactor.counts(), [1, 1]);
  assert.deepEqual(
    compactor.plan(),
    [],
    'what was rewritten is whole, though most of it is header and footer',
  );
});

test('a job has few pointers, but at least two files', () => {
  const compactor = new Compactor();
  const rows = Array.from({ length: 20 }, () => ({ topicId: 'a', gap: 1 }));
  for (let file = 0; file < 4; file++) compactor.commit(...rows);
  compactor.cluster.nowMs += 20_000;
  const jobs = compactor.plan();
  assert.deepEqual(
    jobs.map(({ inputs, pointers }) => [inputs.length, pointers.file.length]),
    [
      [2, 40],
      [2, 40],
    ].slice(0, jobs.length),
  );
  assert.ok(jobs.length >= 1);
});

test('markers within and behind a run are part of it', () => {
  const compactor = new Compactor({ compactionWaitMs: 0, compactionYoungMs: 0 });
  const { cluster } = compactor;
  const producer = new TestProducer(cluster);
  producer.init();
  for (const isCommitted of [true, false]) {
    producer.send('a');
    producer.end(isCommitted);
  }
  const [job] = compactor.plan();
  assert.deepEqual([...job!.pointers.file], [0, noRangeFile, 1, noRangeFile]);
  assert.deepEqual([...job!.markers!.row, ...job!.markers!.isCommit], [1, 3, 1, 0]);
  assert.deepEqual([...job!.ranges.fromOffset, ...job!.ranges.toOffset], [0, 4]);
  assert.equal(compactor.run(job!).outcome, 'done');
});

const batch = fc.record({
  topicId: fc.constantFrom('a', 'b'),
  partition: fc.nat(1),
  gap: fc.nat(1),
  timestampMs: fc.nat(20),
});
const round = fc.record({
  files: fc.array(fc.array(batch, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 }),
  /** Whether commands run between the steps of the plan. */
  isBusy: fc.boolean(),
  deleted: fc.nat(6),
});

test('plans cover all pointers of their files, and compaction bounds the number of files and pointers', () => {
  fc.assert(
    fc.property(fc.array(round, { minLength: 1, maxLength: 12 }), (rounds) => {
      const compactor = new Compactor({ compactionYoungMs: 1, compactionWaitMs: 50 });
      const { cluster } = compactor;
      for (const { files, isBusy, deleted } of rounds) {
        for (const batches of files) {
          cluster.nowMs += 2;
          compactor.commit(...batches);
        }
        cluster.nowMs += 2;
        const partitions = [{ topicId: 'a', partition: 0, offset: deleted }];
        cluster.execute({ kind: 'deleteRecords', partitions });
        let step = 0;
        const jobs = compactor.plan(() => {
          if (!isBusy || step > 12) return;
          compactor.commit({ topicId: 'a', partition: step++ % 2 });
          if (step % 3 === 0)
            cluster.execute({
              kind: 'deleteRecords',
              partitions: [{ ...partitions[0]!, offset: deleted + step }],
            });
        });
        const seen = new Set<string>();
        for (const { inputs, pointers } of jobs) {
          for (const { fileId } of inputs) {
            assert.ok(!seen.has(fileId), 'a file is in one job');
            seen.add(fileId);
          }
          assert.ok(pointers.file.every((file) => file === noRangeFile || file < inputs.length));
        }
        for (const job of jobs) {
          const { outcome, isReplaced } = compactor.run(job);
          if (isBusy) continue;
          assert.deepEqual([outcome, ...isReplaced], ['done', ...isReplaced.map(() => 1)]);
          const dead = cluster.machine
            .deadFiles({ deadBeforeMs: Infinity, limit: 1e6 })
            .map(({ fileId }) => fileId);
          for (const { fileId } of job.inputs)
            assert.ok(dead.includes(fileId), 'inputs have no other pointers');
        }
      }
      // Without further commits, everything ends up in few files.
      for (let left = 60; left > 0; left--) {
        cluster.nowMs += 1_000_000_000;
        for (const job of compactor.plan()) {
          assert.equal(compactor.run({ ...job, plannedMs: cluster.nowMs }).outcome, 'done');
        }
      }
      assert.ok(cluster.machine.stats().files <= 16, `${cluster.machine.stats().files} files`);
      assert.ok(cluster.machine.stats().pointers <= 4 * 16);
      assert.ok(Buffer.concat(cluster.replay().machine.save()).equals(cluster.saved()));
    }),
    { numRuns: 60 },
  );
});
