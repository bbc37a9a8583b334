import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeFrame, encodeFrame, replyLimits } from '@weir/rpc/testing';
import { queryCalls, queryLimitMsMax } from './query-calls.ts';

const overTheWire = (value: unknown) => decodeFrame(encodeFrame('result', 1, value), replyLimits).body;

const bytes = Uint8Array.of(1, 2);
const report = { agentId: 'a', queryId: 'q', state: 'running', answer: null, message: '' };

// A valid argument, and the problem when one member is changed.
const calls: readonly [method: keyof typeof queryCalls, arg: unknown, wrong: unknown, problem: RegExp][] = [
  [
    'runQuery',
    { queryId: 'q', request: bytes, limitMs: 5 },
    { queryId: 'q', request: 'x', limitMs: 5 },
    /request: not a column/,
  ],
  ['cancelQuery', 'q', 5, /not a text/],
  ['takeQuery', { agentId: 'a', waitMs: 5 }, { agentId: 'a', waitMs: 0.5 }, /waitMs: not a whole number/],
  ['reportQuery', report, { ...report, state: 'gone' }, /state: not one of/],
  [
    'reportQuery',
    { ...report, state: 'done', answer: bytes },
    { ...report, answer: 'text' },
    /answer: not a column/,
  ],
  [
    'holdJob',
    { agentId: 'a', job: 'j', hasIt: true },
    { agentId: 'a', job: 'j' },
    /hasIt: not true or false/,
  ],
];

for (const [method, arg, wrong, problem] of calls) {
  test(`${method} takes what it should and nothing else`, () => {
    const { args } = queryCalls[method];
    assert.equal(args(overTheWire([arg]), method), undefined);
    assert.match(args(overTheWire([wrong]), method) ?? '', problem);
  });
}

test('outcomes survive the wire encoding', () => {
  const outcome = { kind: 'answered', agentId: 'a', answer: bytes, isLast: true };
  assert.deepEqual(overTheWire(outcome), outcome);
});

test('a query that uses its whole time limit is answered within the deadline of its call', () => {
  assert.ok(queryCalls.runQuery.deadlineMs > queryLimitMsMax + 5_000);
});
