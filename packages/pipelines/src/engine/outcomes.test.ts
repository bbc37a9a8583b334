import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BatchFailure } from '../component/instances.ts';
import { type Batch, Message } from '../component/message.ts';
import { Outcomes, withOrigins } from './outcomes.ts';

const no = new Error('no');

/** Messages that came from these places of a batch; `undefined` if that is not known. */
function part(...places: readonly (number | undefined)[]): Batch {
  return places.map((index) => Message.of('x', undefined, index === undefined ? undefined : { index }));
}

const failureOf = (...places: readonly number[]) => new BatchFailure(new Map(places.map((at) => [at, no])));

test('a message counts as written only if what came from it was written, and all of it', () => {
  // biome-ignore format: a table
  const cases: readonly [what: string, written: Batch[], failed: [Batch, Error][], expected: number[] | undefined][] = [
    ['all were written',                     [part(0, 1, 2)],          [],                                      undefined],
    ['all were dropped',                     [],                       [],                                      undefined],
    ['some of a part failed',                [],                       [[part(0, 1, 2), failureOf(1)]],         [1]],
    ['a part failed',                        [part(0)],                [[part(1, 2), no]],                      [1, 2]],
    ['one of two made of a message failed',  [part(0, 1, 2)],          [[part(1), no]],                         [1]],
    ['others were merged into it',           [],                       [[part(0), no]],                         [0, 1, 2]],
    ['merged into one that was written',     [part(0)],                [[part(2), no]],                         [1, 2]],
    ['it is not known where it came from',   [part(0, 1, 2)],          [[part(undefined), no]],                 [0, 1, 2]],
    ['what is not known was written',        [part(0, undefined, 2)],  [[part(1), no]],                         [1]],
    ['an error that names no message',       [],                       [[part(0, 1, 2), failureOf()]],          [0, 1, 2]],
    ['an error that names another message',  [],                       [[part(0, 1, 2), failureOf(7)]],         [0, 1, 2]],
  ];
  for (const [what, written, failed, expected] of cases) {
    const outcomes = new Outcomes(3);
    for (const batch of written) outcomes.written(batch);
    for (const [batch, error] of failed) outcomes.failed(batch, error);
    const { outcome } = outcomes;
    assert.deepEqual(outcome && [...outcome.failed.keys()], expected, what);
    if (expected === undefined) outcomes.throwFailure();
    else assert.throws(() => outcomes.throwFailure(), /no|failed to write/, what);
  }
});

test('messages know their places, and keep what else they know', () => {
  const answers = { store() {} };
  const [first, second] = withOrigins([
    Message.of('a', undefined, { index: 4, answers }),
    Message.of('b', undefined, { index: 1 }),
  ]);
  assert.deepEqual(first!.origin, { index: 0, answers, replay: { attempts: 0 } });
  assert.deepEqual(second!.origin, { index: 1, replay: { attempts: 0 } });
});
