import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkServingThreads, servingThreadCount } from './serving-threads.ts';

type Requested = number | 'auto';

test('auto is one thread per core except one, of an agent that is one process on Linux', () => {
  const cases: readonly [
    servingThreads: Requested,
    processes: Requested | undefined,
    cores: number,
    system: string,
    count: number,
  ][] = [
    ['auto', 1, 1, 'linux', 1],
    ['auto', 1, 2, 'linux', 1],
    ['auto', 1, 3, 'linux', 2],
    ['auto', 1, 8, 'linux', 7],
    ['auto', 1, 64, 'linux', 8],
    ['auto', 1, 8, 'darwin', 1],
    ['auto', 4, 8, 'linux', 1],
    ['auto', 'auto', 8, 'linux', 1],
    // Commands that are one process.
    ['auto', undefined, 8, 'linux', 1],
    [4, undefined, 2, 'linux', 4],
    [1, 1, 8, 'linux', 1],
    [16, 1, 2, 'linux', 16],
  ];
  for (const [servingThreads, processes, cores, system, count] of cases) {
    const values = processes === undefined ? { servingThreads } : { servingThreads, processes };
    const what = JSON.stringify([values, cores, system]);
    assert.equal(servingThreadCount(values, cores, system), count, what);
  }
});

test('several threads need Linux and one process', () => {
  const cases: readonly [
    servingThreads: Requested,
    processes: Requested,
    system: string,
    isAllowed: boolean,
  ][] = [
    ['auto', 4, 'darwin', true],
    [1, 4, 'darwin', true],
    [2, 1, 'linux', true],
    [2, 1, 'darwin', false],
    [2, 4, 'linux', false],
  ];
  for (const [servingThreads, processes, system, isAllowed] of cases) {
    const violation = checkServingThreads({ servingThreads, processes }, system);
    assert.equal(violation === undefined, isAllowed, JSON.stringify([servingThreads, processes, system]));
  }
});
