import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics } from '@weir/core';
import { parseStall, StallStats } from './stall-stats.ts';

const text = `some avg10=1.25 avg60=2.00 avg300=3.00 total=12345
full avg10=0.50 avg60=0.00 avg300=0.00 total=678
`;

test('the format of the kernel is parsed', () => {
  const cases: [text: string, expected: ReturnType<typeof parseStall>][] = [
    [text, { some: 1.25, full: 0.5 }],
    ['some avg10=100 avg60=0.00 avg300=0.00 total=0\n', { some: 100, full: 0 }],
    ['', undefined],
    ['Operation not supported', undefined],
  ];
  for (const [given, expected] of cases) assert.deepEqual(parseStall(given), expected, given);
});

test('stats of the container have precedence, and missing ones are not published', async () => {
  const files: Record<string, string> = {
    '/sys/fs/cgroup/cpu.pressure': text,
    '/proc/pressure/cpu': text.replace('1.25', '9.99'),
    '/proc/pressure/io': text.replace('1.25', '7.77'),
  };
  const metrics = new Metrics();
  const stats = new StallStats(metrics, async (path) => {
    const found = files[path];
    if (found === undefined) throw new Error(`ENOENT ${path}`);
    return found;
  });
  await stats.update();
  const lines = metrics
    .render()
    .split('\n')
    .filter((line) => /^service_/.test(line));
  assert.deepEqual(lines, [
    'service_pressure_cpu_full_pct 0.5',
    'service_pressure_cpu_some_pct 1.25',
    'service_pressure_io_full_pct 0.5',
    'service_pressure_io_some_pct 7.77',
  ]);
});
