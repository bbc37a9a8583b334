import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CompactionJob, noRangeFile, type Pointers } from '@weir/cluster';
import fc from 'fast-check';
import type { MergeRun } from './merge-files.ts';
import { shareRuns, withTwins } from './shared-runs.ts';

interface Row {
  file: number;
  start: number;
  length: number;
  base: number;
  next: number;
}

const isMarkerRow = ({ file }: Row) => file === noRangeFile;

function runOf(topicId: string, rows: readonly Row[]): MergeRun {
  const markers = rows.flatMap((row, index) => (isMarkerRow(row) ? [index] : []));
  const pointers: Pointers = {
    fileId: rows.map((row) => (isMarkerRow(row) ? '' : `file ${row.file}`)),
    byteStart: Float64Array.from(rows, ({ start }) => start),
    byteLength: Float64Array.from(rows, ({ length }) => length),
    baseOffset: Float64Array.from(rows, ({ base }) => base),
    nextOffset: Float64Array.from(rows, ({ next }) => next),
    markers: {
      row: Uint32Array.from(markers),
      isCommit: new Uint8Array(markers.length),
      producerId: Float64Array.from(markers, () => 7),
      producerEpoch: new Int16Array(markers.length),
      timestampMs: new Float64Array(markers.length),
    },
  };
  return { topicId, partition: 0, pointers };
}

function jobOf(runs: readonly (readonly Row[])[]): CompactionJob {
  const rows = runs.flat();
  return {
    pointers: {
      file: Uint32Array.from(rows, ({ file }) => file),
      byteStart: Uint32Array.from(rows, ({ start }) => start),
    },
  } as unknown as CompactionJob;
}

/** A merge that gives every row of a run a pointer of its own. */
function merged({ topicId, partition, pointers }: MergeRun, run: number) {
  return {
    topicId,
    partition,
    baseOffset: pointers.baseOffset[0]!,
    nextOffset: pointers.nextOffset.at(-1)!,
    pointers: pointers.fileId.map((fileId, row) => ({
      fileId: `${run} ${fileId} ${pointers.byteStart[row]}`,
      byteStart: 0,
      byteLength: pointers.byteLength[row]!,
      baseOffset: pointers.baseOffset[row]!,
      nextOffset: pointers.nextOffset[row]!,
      maxTimestampMs: 0,
    })),
  };
}

/** A log of records and markers, and clones of it that end anywhere, also within a range, and have gone on. */
const topics = fc
  .record({
    kinds: fc.array(fc.constantFrom('records', 'records', 'marker'), { minLength: 1, maxLength: 12 }),
    clones: fc.array(fc.record({ first: fc.nat(11), end: fc.nat(12), isCut: fc.boolean(), own: fc.nat(2) }), {
      maxLength: 4,
    }),
  })
  .map(({ kinds, clones }) => {
    // A run begins with records.
    const source = ['records', ...kinds].map((kind, index): Row => {
      const place =
        kind === 'marker'
          ? { file: noRangeFile, start: 0, length: 78 }
          : { file: index % 3, start: 100 * index, length: 100 };
      return { ...place, base: 10 * index, next: 10 * index + 10 };
    });
    return [
      source,
      ...clones.map(({ first, end, isCut, own }, clone) => {
        const rows = source.slice(0, end).slice(first);
        while (rows[0] !== undefined && isMarkerRow(rows[0])) rows.shift();
        const last = rows.at(-1);
        if (isCut && last !== undefined && !isMarkerRow(last))
          rows[rows.length - 1] = { ...last, length: 50, next: last.base + 5 };
        for (let more = 0; more < own; more++) {
          const base = rows.at(-1)?.next ?? 0;
          rows.push({ file: 4 + clone, start: 100 * more, length: 100, base, next: base + 10 });
        }
        return rows;
      }),
    ].filter(({ length }) => length > 0);
  });

test('every partition keeps its records, and what partitions share is copied once', () => {
  fc.assert(
    fc.property(topics, (logs) => {
      const runs = logs.map((rows, index) => runOf(`topic ${index}`, rows));
      const shared = shareRuns(jobOf(logs), runs);
      const ranges = withTwins(shared.runs.map(merged), shared);
      const copied = shared.runs.flatMap(({ pointers }) =>
        pointers.fileId.flatMap((id, row) =>
          id === '' ? [] : [`${id} ${pointers.byteStart[row]} ${pointers.byteLength[row]}`],
        ),
      );
      const needed = new Set(
        logs
          .flat()
          .flatMap((row) => (isMarkerRow(row) ? [] : [`file ${row.file} ${row.start} ${row.length}`])),
      );
      assert.deepEqual(copied.sort(), [...needed].sort());
      let last = '';
      for (const [index, rows] of logs.entries()) {
        const own = ranges.filter(({ topicId }) => topicId === `topic ${index}`);
        assert.deepEqual(
          own.flatMap(({ pointers }) =>
            pointers.map(({ baseOffset, nextOffset, byteLength }) => [baseOffset, nextOffset, byteLength]),
          ),
          rows.map(({ base, next, length }) => [base, next, length]),
          'in order, each once',
        );
        assert.ok(`topic ${index}` > last);
        last = `topic ${index}`;
      }
      assert.deepEqual(
        ranges.map(({ topicId }) => topicId),
        ranges.map(({ topicId }) => topicId).toSorted(),
      );
    }),
    { numRuns: 200 },
  );
});

test('topics of one transaction that share no records have markers of their own', () => {
  const marker = { file: noRangeFile, start: 0, length: 78, base: 10, next: 11 };
  const logs = [0, 1].map((file) => [{ file, start: 0, length: 100, base: 0, next: 10 }, marker]);
  const runs = logs.map((rows, index) => runOf(`topic ${index}`, rows));
  const clone = runOf('topic 2', logs[0]!);
  const shared = shareRuns(jobOf([...logs, logs[0]!]), [...runs, clone]);
  assert.deepEqual(
    shared.runs.map(({ topicId, pointers }) => [topicId, pointers.fileId.length]),
    [
      ['topic 0', 2],
      ['topic 1', 2],
    ],
  );
});
