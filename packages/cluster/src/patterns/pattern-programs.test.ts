import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KiB, MiB } from '@weir/core';
import { RE2JS } from 're2js';
import { clusterLimits } from '../limits.ts';
import { PatternPrograms, programBytes } from './pattern-programs.ts';

/** A pattern whose automaton must track each of the last `depth` letters, and so has exponentially many states. */
const growing = (depth: number, letter = 'a') => `(?:a|b)*${letter}(?:a|b){${depth}}`;

/** All words of 11 letters over the alphabet {a, b}, concatenated. */
function letters(count: number): string {
  return Array.from({ length: count }, (_, n) => n.toString(2).padStart(11, '0'))
    .join('')
    .replaceAll('0', 'a')
    .replaceAll('1', 'b');
}

test('cached states of a program are counted', () => {
  const compiled = RE2JS.compile(growing(10));
  const freshBytes = programBytes(compiled);
  assert.ok(freshBytes < 64 * KiB, `${freshBytes}`);
  compiled.matches(letters(180));
  const usedBytes = programBytes(compiled);
  assert.ok(usedBytes > freshBytes + 64 * KiB, `${usedBytes}`);
  assert.ok(usedBytes < 9 * MiB, `${usedBytes}`);
});

test('cached programs stay within the byte limit, however many patterns grow', () => {
  const bytesMax = 1 * MiB;
  const programs = new PatternPrograms({ programsMax: 1000, bytesMax });
  const text = letters(180);
  let withoutLimitBytes = 0;
  for (let n = 0; n < 20; n++) {
    const expression = growing(10, `[a${String.fromCharCode(0x63 + n)}]`);
    programs.use(expression, (compiled) => {
      compiled.matches(text);
      withoutLimitBytes += programBytes(compiled);
    });
    assert.ok(programs.bytes <= bytesMax, `${programs.bytes}`);
  }
  assert.ok(withoutLimitBytes > 2 * bytesMax, `${withoutLimitBytes}`);
  assert.ok(programs.count > 0 && programs.count < 20, `${programs.count}`);
});

test('the most recently used programs stay cached, and the others are compiled again', (t) => {
  const compiled = t.mock.method(RE2JS, 'compile');
  const programs = new PatternPrograms({ programsMax: 2, bytesMax: clusterLimits.patternProgramsBytesMax });
  const use = (expression: string) => programs.use(expression, (program) => program.matches(expression));
  for (const expression of ['a', 'b', 'a', 'c', 'a', 'b']) assert.equal(use(expression), true);
  assert.deepEqual(
    compiled.mock.calls.map(({ arguments: [expression] }) => expression),
    ['a', 'b', 'c', 'b'],
  );
  assert.equal(programs.count, 2);
});

test('an invalid expression is not cached', () => {
  const programs = new PatternPrograms();
  assert.throws(() => programs.use('(', () => true));
  assert.deepEqual([programs.count, programs.bytes], [0, 0]);
});
