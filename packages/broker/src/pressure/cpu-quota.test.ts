import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuQuota } from './cpu-quota.ts';

test('the CPU quota of a container', () => {
  const own = '0::/system.slice/weir.service\n';
  const cases: [what: string, files: Record<string, string>, expected: number | undefined][] = [
    ['no control groups', {}, undefined],
    ['half of one', { 'cpu.max': '50000 100000\n' }, 0.5],
    ['two and a half', { 'cpu.max': '250000 100000\n' }, 2.5],
    ['no limit', { 'cpu.max': 'max 100000\n' }, undefined],
    [
      'of the service',
      { '/proc/self/cgroup': own, 'system.slice/weir.service/cpu.max': '150000 100000' },
      1.5,
    ],
    [
      'the smaller of both',
      {
        '/proc/self/cgroup': own,
        'system.slice/weir.service/cpu.max': '150000 100000',
        'cpu.max': '1000 2000',
      },
      0.5,
    ],
    ['version 1', { 'cpu/cpu.cfs_quota_us': '30000\n', 'cpu/cpu.cfs_period_us': '20000\n' }, 1.5],
    [
      'version 1, no limit',
      { 'cpu/cpu.cfs_quota_us': '-1\n', 'cpu/cpu.cfs_period_us': '100000\n' },
      undefined,
    ],
    ['nonsense', { 'cpu.max': 'what?', '/proc/self/cgroup': '' }, undefined],
    ['nothing at all', { 'cpu.max': '0 0' }, undefined],
  ];
  for (const [what, files, expected] of cases) {
    const quota = cpuQuota((path) => {
      const found = files[path] ?? files[path.replace('/sys/fs/cgroup/', '')];
      if (found === undefined) throw new Error(`ENOENT ${path}`);
      return found;
    });
    assert.equal(quota, expected, what);
  }
});
