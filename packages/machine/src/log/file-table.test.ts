import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileIdOf } from '../../testing/file-commit.ts';
import { FileTable } from './file-table.ts';

test('ids and sizes are stored across many slabs', () => {
  const files = new FileTable();
  for (let number = 0; number < 10_000; number++) {
    assert.equal(files.add(fileIdOf(number * 7), 2 ** 32 - 1 - number), number);
  }
  for (const slot of [0, 4095, 4096, 9999]) {
    assert.equal(files.fileId(slot), fileIdOf(slot * 7));
    assert.equal(files.fileBytes(slot), 2 ** 32 - 1 - slot);
  }
});

test('a slot is freed with the last pointer into its file, and not before', () => {
  const files = new FileTable();
  const first = files.add(fileIdOf(1), 10);
  files.countPointer(first);
  files.countPointer(first);
  files.discountPointer(first);
  const second = files.add(fileIdOf(2), 20);
  assert.notEqual(second, first);
  files.discountPointer(first);
  const third = files.add(fileIdOf(3), 30);
  assert.equal(third, first);
  assert.deepEqual([files.fileId(third), files.fileBytes(third)], [fileIdOf(3), 30]);
  assert.equal(files.slotCount, 2);
});

test('an id can be read from the middle of a buffer and copied out again', () => {
  const files = new FileTable();
  const source = Buffer.from(`ffff${fileIdOf(0xabc)}ffff`, 'hex');
  const slot = files.addFrom(source, 2, 5);
  assert.equal(files.fileId(slot), fileIdOf(0xabc));
  const target = Buffer.alloc(20);
  files.copyFileId(slot, target, 4);
  assert.equal(target.toString('hex', 4), fileIdOf(0xabc));
});
