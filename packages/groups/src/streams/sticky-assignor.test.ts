import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assignStickily, type Tasks } from './sticky-assignor.ts';

const none: Tasks = new Map();
const tasks = (...partitions: readonly number[]): Tasks => new Map([['0', partitions]]);

test('a member without tasks gets one before members of less busy processes get more', () => {
  const members = [
    ['a', 'busy', [0, 1]],
    ['b', 'busy', [2, 3]],
    ['c', 'calm', [4]],
    ['d', 'busy', []],
  ] as const;
  const assigned = assignStickily(
    members.map(([memberId, processId, before]) => ({
      ...{ memberId, processId, rackId: null, before: { active: tasks(...before), standby: none } },
    })),
    [{ subtopologyId: '0', taskCount: 6, isStateful: false }],
    0,
  );
  const active = members.map(([memberId]) => assigned.get(memberId)!.active.get('0') ?? []);
  assert.deepEqual(active, [[0, 1], [2, 3], [4], [5]]);
});
