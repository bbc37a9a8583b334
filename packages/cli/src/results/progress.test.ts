import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import { Progress, progressLine } from './progress.ts';

test('a line has a bar, counts, the rate and the time left', () => {
  const cases: readonly [advance: Parameters<typeof progressLine>[0], elapsedMs: number, line: string][] = [
    [
      { done: 50, total: 200, unit: 'topics' },
      5_000,
      '[#####---------------]  25 %  50 of 200 topics  10/s  15s left',
    ],
    [{ done: 0, total: 200, unit: 'topics' }, 0, '[--------------------]   0 %  0 of 200 topics'],
    [{ done: 1_234, unit: 'records' }, 1_000, '1,234 records  1,234/s'],
    [{ done: 3, unit: 'files', share: 0.5 }, 2_000, '[##########----------]  50 %  3 files  1.5/s  2s left'],
    [
      { done: 7, total: 5, unit: 'records' },
      1_000,
      '[####################] 100 %  7 of 5 records  7.0/s  0s left',
    ],
  ];
  for (const [advance, elapsedMs, line] of cases) assert.equal(progressLine(advance, elapsedMs), line);
  const long = progressLine({ done: 1, total: 2, unit: 'records', detail: 'x'.repeat(200) }, 1_000);
  assert.equal(long.length, 79);
});

function watched(form: 'table' | 'json', isErrTerminal: boolean) {
  let err = '';
  const clock = new HandClock();
  const output = {
    out: () => assert.fail('progress is no result'),
    err(text: string) {
      err += text;
    },
    isTerminal: false,
    isErrTerminal,
    async drained() {},
  };
  return { progress: new Progress({ output: form }, { clock, output }), clock, err: () => err };
}

test('progress is drawn on a terminal at most ten times a second, and cleared', () => {
  const { progress, clock, err } = watched('table', true);
  for (let done = 1; done <= 100; done++) {
    clock.advance(10);
    progress.show({ done, total: 100, unit: 'files' });
  }
  progress.clear();
  progress.clear();
  const lines = err().split('\r\u001b[K');
  assert.equal(lines.length, 12, err());
  assert.equal(lines.at(-1), '');
  assert.match(lines[1]!, /^\[-{20}\] {3}1 % {2}1 of 100 files/);
});

test('nothing is drawn beside JSON, or where standard error is no terminal', () => {
  for (const [form, isErrTerminal] of [
    ['json', true],
    ['table', false],
  ] as const) {
    const { progress, err } = watched(form, isErrTerminal);
    progress.show({ done: 1, unit: 'files' });
    progress.clear();
    assert.equal(err(), '');
  }
});
