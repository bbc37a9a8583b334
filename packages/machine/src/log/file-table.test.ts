import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
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

test('a slot is freed when its file has been deleted, and not before', () => {
  const files = new FileTable();
  const first = files.add(fileIdOf(1), 10);
  files.countPointer(first, 4);
  files.countPointer(first, 5);
  files.discountPointer(first, 4, 1000);
  assert.equal(files.isDead(fileIdOf(1)), false);
  assert.deepEqual(files.levels(), [{ files: 1, bytes: 10, liveBytes: 5 }]);
  files.discountPointer(first, 5, 1000);
  assert.deepEqual(files.levels(), []);
  assert.deepEqual(files.deadFiles(1001, 5), [{ fileId: fileIdOf(1), fileBytes: 10, deadMs: 1000 }]);
  assert.deepEqual(files.deadFiles(1000, 5), []);
  const second = files.add(fileIdOf(2), 20);
  assert.notEqual(second, first);
  assert.ok(files.forgetDead(fileIdOf(1), 1, 2000));
  assert.equal(files.forgetDead(fileIdOf(1), 1, 2000), false);
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

test('a file has one slot, whatever its state', () => {
  const files = new FileTable();
  const slot = files.add(fileIdOf(1), 10);
  files.countPointer(slot, 10);
  assert.equal(files.add(fileIdOf(1), 10), slot);
  assert.equal(files.addDead(fileIdOf(1), 10, 1), false);
  files.discountPointer(slot, 10, 1);
  assert.equal(files.addDead(fileIdOf(1), 10, 1), false);
  assert.equal(files.add(fileIdOf(1), 10), slot, 'a journal of an earlier release commits it again');
  assert.equal(files.isDead(fileIdOf(1)), false);
  assert.deepEqual([files.count, files.dead.count, files.deadBytes], [1, 0, 0]);
});

test('a deleted file is remembered until its id is too old to be committed', () => {
  const files = new FileTable();
  const idAt = (timeMs: number, rest: number) =>
    timeMs.toString(16).padStart(12, '0') + fileIdOf(rest).slice(12);
  const [old, young, fast] = [idAt(100, 1), idAt(500, 2), idAt(5000, 3)];
  for (const fileId of [old, young, fast]) files.addDead(fileId, 1, 600);
  for (const fileId of [old, young, fast]) assert.ok(files.forgetDead(fileId, 200, 700));
  assert.deepEqual(
    [old, young, fast].map((fileId) => files.slotOf(fileId) >= 0),
    [false, true, true],
  );
  files.forgetDeleted(600, 1100);
  assert.equal(files.slotOf(young) >= 0, true, 'not before it has been deleted for as long');
  files.forgetDeleted(701, 1201);
  assert.deepEqual(
    [young, fast].map((fileId) => files.slotOf(fileId) >= 0),
    [false, true],
  );
  files.forgetDeleted(5001, 9000);
  assert.equal(files.deleted.count, 0);
});

test('a deleted file of a higher level is remembered for as long from its deletion, however old its id is', () => {
  const files = new FileTable();
  const compacted = `00000000000a1${fileIdOf(1).slice(13)}`;
  files.addDead(compacted, 1, 600);
  assert.ok(files.forgetDead(compacted, 200, 700));
  assert.equal(files.slotOf(compacted) >= 0, true);
  files.forgetDeleted(700, 1200);
  assert.equal(files.slotOf(compacted) >= 0, true);
  files.forgetDeleted(701, 1201);
  assert.equal(files.slotOf(compacted) >= 0, false);
});

test('files are found by id through any additions and removals', () => {
  const action = fc.record({ number: fc.nat(400), isAdded: fc.boolean() });
  fc.assert(
    fc.property(fc.array(action, { maxLength: 600, size: 'max' }), (actions) => {
      const files = new FileTable();
      const slots = new Map<string, number>();
      for (const { number, isAdded } of actions) {
        const fileId = fileIdOf(number * 0x1_0000_0001);
        if (isAdded && !slots.has(fileId)) {
          files.addDead(fileId, number, 1);
          slots.set(fileId, files.slotOf(fileId));
        } else if (!isAdded) {
          assert.equal(files.forgetDead(fileId, 1, 2), slots.delete(fileId));
        }
      }
      for (let number = 0; number <= 400; number++) {
        const fileId = fileIdOf(number * 0x1_0000_0001);
        const slot = files.slotOf(fileId);
        assert.equal(slot, slots.get(fileId) ?? -1);
        if (slot >= 0) assert.equal(files.fileId(slot), fileId);
      }
      assert.equal(files.dead.count, slots.size);
      assert.deepEqual(
        files.deadFiles(2, 1000).map(({ fileId }) => fileId),
        [...slots.keys()],
      );
    }),
  );
});
