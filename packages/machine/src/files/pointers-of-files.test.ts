import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from '../../testing/cluster.ts';
import { fileCommit, fileIdOf } from '../../testing/file-commit.ts';

/** Rows of the answer as text: file, place, offsets and bytes. */
function shown({ machine }: Cluster, firstByte: number, endByte: number): string[] {
  const { fileId, fileBytes, firstRow, logs, ...row } = machine.pointersOfFiles(firstByte, endByte);
  assert.equal(firstRow.length, fileId.length + 1);
  assert.equal(firstRow.at(-1), row.log.length);
  return fileId.flatMap((id, file) => {
    const rows = Array.from(
      { length: firstRow[file + 1]! - firstRow[file]! },
      (_, at) => firstRow[file]! + at,
    );
    return rows.map((at) => {
      const { topicName, partition } = logs[row.log[at]!]!;
      const offsets = `${row.baseOffset[at]}-${row.nextOffset[at]}`;
      const bytes = `${row.byteStart[at]}+${row.byteLength[at]}`;
      return `${Number.parseInt(id, 16)} (${fileBytes[file]}): ${topicName}-${partition} ${offsets} at ${bytes}`;
    });
  });
}

test('pointers are listed by file, in the order of keys, without markers and with deleted topics', () => {
  const cluster = new Cluster();
  cluster.create('a', 2);
  cluster.create('b');
  cluster.commit({ topicId: 'a', records: 10 }, { topicId: 'a', records: 5 }, { topicId: 'b', gap: 7 });
  cluster.commit({ topicId: 'a', partition: 1, records: 3 }, { topicId: 'a', records: 2 });
  // Its key comes before those of the others.
  cluster.commitFile({
    ...fileCommit(0, [{ topicId: 'a' }]),
    fileId: `${fileIdOf(0xf00).slice(0, 30)}00`,
  });
  cluster.delete('b');
  assert.deepEqual(shown(cluster, 0, 256), [
    '3840 (100): a-0 17-18 at 0+100',
    '1 (307): a-0 0-15 at 0+200',
    '1 (307): b-0 0-1 at 207+100',
    '2 (200): a-0 15-17 at 100+100',
    '2 (200): a-1 0-3 at 0+100',
  ]);
  assert.deepEqual(shown(cluster, 2, 3), ['2 (200): a-0 15-17 at 100+100', '2 (200): a-1 0-3 at 0+100']);
  assert.deepEqual(shown(cluster, 3, 256), []);
  assert.deepEqual(cluster.machine.fileStates([fileIdOf(1), fileIdOf(9)]), ['referenced', 'unknown']);
  cluster.execute({
    kind: 'deleteRecords',
    partitions: [
      { topicId: 'a', partition: 0, offset: 17 },
      { topicId: 'a', partition: 1, offset: 3 },
    ],
  });
  assert.deepEqual(cluster.machine.fileStates([fileIdOf(1), fileIdOf(2)]), ['referenced', 'dead']);
  assert.deepEqual(shown(cluster, 0, 256), ['3840 (100): a-0 17-18 at 0+100', '1 (307): b-0 0-1 at 207+100']);
});
