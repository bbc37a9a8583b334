import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  migrationCopyScope,
  migrationScope,
  migrationSlotOf,
  pipelineOfMigrationScope,
  readMigrationCopyTask,
  readMigrationTask,
  writeMigrationCopyTask,
} from './migration-task.ts';

const name = { pipelineId: 'pi_1', configurationId: 'pc_1' };

test('another configuration, secret or slot is another job of the same pipeline', () => {
  const scopes = [
    migrationScope(name),
    migrationScope({ ...name, configurationId: 'pc_2' }),
    migrationScope({ ...name, secretsDigest: 'd1' }),
    migrationCopyScope({ ...name, slot: 0, slotCount: 2 }),
    migrationCopyScope({ ...name, slot: 1, slotCount: 2 }),
    migrationCopyScope({ ...name, slot: 0, slotCount: 3 }),
    migrationCopyScope({ ...name, slot: 0, slotCount: 2, secretsDigest: 'd1' }),
  ];
  assert.equal(new Set(scopes).size, scopes.length);
  for (const scope of scopes) assert.equal(pipelineOfMigrationScope(scope), 'pi_1');
});

test('each partition has one slot, and slots have about as many partitions', () => {
  for (const slotCount of [1, 2, 3, 7, 16]) {
    const counts = new Array<number>(slotCount).fill(0);
    for (let topic = 0; topic < 200; topic++)
      for (let partition = 0; partition < 12; partition++) {
        const topicId = `01234567-89ab-4cde-8f01-${String(topic).padStart(12, '0')}`;
        const slot = migrationSlotOf(topicId, partition, slotCount);
        assert.equal(slot, migrationSlotOf(topicId, partition, slotCount));
        counts[slot]!++;
      }
    const even = 2_400 / slotCount;
    for (const count of counts)
      assert.ok(count > even * 0.7 && count < even * 1.3, `${slotCount}: ${counts}`);
  }
});

test('a task is read as it was written, and one without a slot is no task of a copy', () => {
  const task = { ...name, pipelineName: 'move', yaml: 'a: b', slot: 1, slotCount: 2 };
  assert.deepEqual(readMigrationCopyTask(writeMigrationCopyTask(task)), task);
  const { slot: _, ...without } = task;
  assert.throws(() => readMigrationCopyTask(Buffer.from(JSON.stringify(without))), /slot/);
  assert.throws(() => readMigrationTask(Buffer.from('{}')), /pipelineId/);
});
