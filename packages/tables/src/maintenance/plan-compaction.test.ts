import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DataFile, LiveEntry, Value } from '@weir/iceberg';
import { type CompactionRules, planCompaction } from './plan-compaction.ts';

const KiB = 1024;
const MiB = KiB * KiB;

interface FileInShort {
  readonly bytes: number;
  readonly partition?: readonly (Value | null)[];
  readonly specId?: number;
  /** Of the snapshot; those below 100 are old. */
  readonly at?: number;
  readonly parts?: Partial<DataFile>;
}

function entries(files: readonly FileInShort[]): LiveEntry[] {
  return files.map(({ bytes, partition = [], specId = 0, at, parts }, place): LiveEntry => {
    const sequence = BigInt(at ?? 100 + place);
    return {
      status: 'existing',
      snapshotId: sequence,
      sequenceNumber: sequence,
      fileSequenceNumber: sequence,
      file: {
        content: 'data',
        path: `f${place}`,
        format: 'PARQUET',
        specId,
        partition,
        recordCount: 1n,
        fileBytes: BigInt(bytes),
        columns: new Map(),
        ...parts,
      },
    };
  });
}

const usual: CompactionRules = {
  targetBytes: 128 * MiB,
  filesMin: 5,
  filesPerBinMax: 500,
  bytesMax: 1024 * MiB,
  isOld: (snapshotId) => snapshotId < 100n,
  sliceOf: () => '',
  isLeftAlone: () => false,
};

const times = (count: number, file: FileInShort) => Array.from({ length: count }, () => file);

interface Case {
  readonly name: string;
  readonly files: readonly FileInShort[];
  readonly rules?: Partial<CompactionRules>;
  /** The files of each bin. */
  readonly bins: readonly (readonly number[])[];
  readonly isComplete?: boolean;
}

const cases: readonly Case[] = [
  { name: 'nothing', files: [], bins: [] },
  { name: 'too few while more come', files: times(4, { bytes: 10 * KiB }), bins: [] },
  { name: 'enough of one size', files: times(5, { bytes: 10 * KiB }), bins: [[0, 1, 2, 3, 4]] },
  {
    name: 'a merged file waits for others of its size',
    files: [{ bytes: 40 * MiB }, ...times(5, { bytes: 10 * KiB })],
    bins: [[1, 2, 3, 4, 5]],
  },
  {
    name: 'few files that fill a new one',
    files: times(3, { bytes: 40 * MiB }),
    bins: [[0, 1, 2]],
  },
  { name: 'large files stay', files: times(8, { bytes: 96 * MiB }), bins: [] },
  {
    name: 'what is left of an old partition',
    files: [
      { bytes: 30 * MiB, at: 1 },
      { bytes: 20 * MiB, at: 2 },
    ],
    bins: [[0, 1]],
  },
  {
    name: 'not a large one for the sake of a few small ones',
    files: [
      { bytes: 90 * MiB, at: 1 },
      { bytes: 10 * KiB, at: 2 },
      { bytes: 11 * KiB, at: 3 },
    ],
    bins: [[1, 2]],
  },
  {
    name: 'an old partition that got a file today waits',
    files: [{ bytes: 30 * MiB, at: 1 }, { bytes: 20 * MiB, at: 2 }, { bytes: 10 * MiB }],
    bins: [],
  },
  {
    name: 'partitions, specs and slices stay apart',
    files: [
      { bytes: 10, at: 1, partition: [null] },
      { bytes: 10, at: 2, partition: ['null'] },
      { bytes: 10, at: 3, partition: [0] },
      { bytes: 10, at: 4, partition: [-0] },
      { bytes: 10, at: 5, partition: [Buffer.from('a')] },
      { bytes: 10, at: 6, partition: ['a'] },
      { bytes: 10, at: 7, specId: 1, partition: ['a'] },
      { bytes: 10, at: 8, partition: ['a'], parts: { path: 'later' } },
    ],
    rules: { sliceOf: ({ path }) => path.slice(0, 1) },
    bins: [],
  },
  {
    name: 'the oldest first, as much as a job may read',
    files: [
      { bytes: 60 * MiB, at: 9, partition: [1] },
      { bytes: 60 * MiB, at: 9, partition: [1] },
      { bytes: 60 * MiB, at: 2, partition: [2] },
      { bytes: 60 * MiB, at: 8, partition: [2] },
      { bytes: 60 * MiB, at: 3, partition: [3] },
      { bytes: 60 * MiB, at: 4, partition: [3] },
    ],
    rules: { bytesMax: 250 * MiB },
    bins: [
      [2, 3],
      [4, 5],
    ],
    isComplete: false,
  },
  {
    name: 'one bin, even if it is more than a job may read',
    files: times(5, { bytes: 10 * KiB }),
    rules: { bytesMax: 1 },
    bins: [[0, 1, 2, 3, 4]],
  },
  {
    name: 'no budget left',
    files: times(5, { bytes: 1 }),
    rules: { bytesMax: 0 },
    bins: [],
    isComplete: false,
  },
  {
    name: 'bins have so many files',
    files: times(7, { bytes: 1, at: 1 }),
    rules: { filesPerBinMax: 3 },
    bins: [
      [0, 1, 2],
      [3, 4, 5],
    ],
  },
  {
    name: 'files of other formats, with keys, or left alone',
    files: [
      ...times(5, { bytes: 1, parts: { format: 'AVRO' } }),
      ...times(5, { bytes: 1, parts: { keyMetadata: Buffer.from('k') } }),
      ...times(5, { bytes: 1 }),
    ],
    rules: { isLeftAlone: ({ path }) => path >= 'f10' },
    bins: [],
  },
];

test('small files are merged when it is worth it', () => {
  for (const { name, files, rules, bins, isComplete = true } of cases) {
    const plan = planCompaction(entries(files), { ...usual, ...rules });
    assert.deepEqual(
      plan.bins.map((bin) => bin.files.map(({ path }) => Number(path.slice(1)))),
      bins,
      name,
    );
    assert.equal(plan.isComplete, isComplete, name);
  }
});

test('a row is written again only a few times while its table grows', () => {
  let [written, next] = [0, 0];
  let live: FileInShort[] = [];
  const fileBytes = 100 * KiB;
  for (let append = 0; append < 2000; append++) {
    live.push({ bytes: fileBytes, at: 1000 + next++ });
    if (append % 20 !== 0) continue;
    const { bins } = planCompaction(entries(live), usual);
    const gone = new Set(bins.flatMap((bin) => bin.files.map(({ path }) => Number(path.slice(1)))));
    live = live.filter((_, at) => !gone.has(at));
    for (const { bytes } of bins) {
      written += bytes;
      live.push({ bytes, at: 1000 + next++ });
    }
  }
  assert.ok(written < 6 * 2000 * fileBytes, `${written / (2000 * fileBytes)} times`);
  assert.ok(live.length < 40, `${live.length} files`);
});
