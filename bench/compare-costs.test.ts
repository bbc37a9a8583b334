import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CostRun, costModelOf, costText } from './compare/cost-model.ts';
import { summarize, summaryText } from './compare/cpu-profile.ts';
import { fitCosts } from './compare/least-squares.ts';

test('costs are found from runs that differ in what they count', () => {
  const run = (files: number, requests: number, batches: number, gb: number): CostRun => ({
    files,
    requests,
    batches,
    bytes: gb * 1e9,
    cpuSeconds: files * 1.2e-3 + requests * 80e-6 + batches * 5e-6 + gb * 0.7,
  });
  const runs = [
    run(3000, 6000, 6000, 0.6),
    run(500, 4000, 60_000, 0.6),
    run(2000, 9000, 9000, 0.1),
    run(1000, 1000, 250_000, 1),
    run(100, 5000, 5000, 0.3),
  ];
  const model = costModelOf(runs);
  assert.ok(Math.abs(model.perFile - 1.2e-3) < 1e-9, String(model.perFile));
  assert.ok(Math.abs(model.perRequest - 80e-6) < 1e-9);
  assert.ok(Math.abs(model.perBatch - 5e-6) < 1e-9);
  assert.ok(Math.abs(model.perGb - 0.7) < 1e-6);
  assert.ok(model.residual < 1e-6);
  const text = costText(['a', 'b', 'c', 'd', 'e'], runs, model);
  assert.match(text, /\n {2}file +1\.200 ms \(1\.200 to 1\.200\)\n {2}produce request 80 µs \(80 to 80\)\n/);
  assert.match(
    text,
    /\n {2}batch +5 µs \(5 to 5\)\n {2}GB of payload +0\.70 s \(0\.70 to 0\.70\)\nresidual 0 %\n/,
  );
  assert.match(
    text,
    /\| a +\| 3000 +\| 6000 +\| 6000 +\| 7\.55 s\/GB +\| 79 % +\| 11 % +\| 1 % +\| 9 % +\| .0 %/,
  );
});

test('nothing costs less than nothing, and runs that are all alike determine nothing', () => {
  // The second factor would need a negative coefficient.
  const { coefficients, residual } = fitCosts(
    [
      [1, 1],
      [2, 5],
      [3, 1],
    ],
    [1, 1.8, 3],
  );
  assert.ok(coefficients[0]! > 0.9 && coefficients[1] === 0, String(coefficients));
  assert.ok(residual > 0);
  assert.throws(() => fitCosts([[0], [0]], [1, 2]), /vary them more/);
});

test('a profile is summed by function and by package; idle time is no part of the shares', () => {
  const node = (id: number, functionName: string, url = '', lineNumber = -1) => ({
    id,
    callFrame: { functionName, url, lineNumber },
  });
  const summary = summarize({
    nodes: [
      node(1, '(idle)'),
      node(2, '(garbage collector)'),
      node(3, 'write', 'file:///a/packages/agent/src/files.ts', 9),
      node(4, 'write', 'file:///a/packages/agent/src/files.ts', 9),
      node(5, '', 'file:///a/node_modules/@node-rs/crc32/index.js', 0),
      node(6, 'writev', 'node:internal/fs', 3),
      node(7, 'crc32c'),
    ],
    samples: [1, 2, 3, 4, 5, 6, 7],
    timeDeltas: [5000, 1000, 2000, 3000, 1000, 2000, 1000],
  });
  assert.deepEqual([summary.busyMs, summary.idleMs], [10, 5]);
  assert.deepEqual(
    summary.groups.map(({ name, ms, share }) => `${name} ${ms} ${share}`),
    [
      'agent 5 0.5',
      'Node 2 0.2',
      '(garbage collector) 1 0.1',
      '(native) 1 0.1',
      'module @node-rs/crc32 1 0.1',
    ],
  );
  assert.equal(summary.functions[0]!.name, 'write packages/agent/src/files.ts:10');
  const text = summaryText(summary, 2);
  assert.match(text, /^busy 10 ms, idle 5 ms \(67 % busy\)/);
  assert.match(text, /top 2 functions by self time:\n +50\.0 % +5 ms {2}write packages/);
});
