import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runLine } from '../../testing/command-run.ts';
import { hasColours, styled, styledDiff } from './style.ts';

test('colours are for terminals, unless the environment says otherwise', () => {
  const cases: readonly [environment: Record<string, string>, isTerminal: boolean, expected: boolean][] = [
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ TERM: 'dumb' }, true, false],
    [{ TERM: 'xterm' }, true, true],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
  ];
  for (const [environment, isTerminal, expected] of cases)
    assert.equal(hasColours(environment, isTerminal), expected, JSON.stringify(environment));
});

test('a text is coloured only where colours are on', () => {
  assert.equal(styled('no', 'bad', true), '\u001b[31mno\u001b[39m');
  assert.equal(styled('no', 'bad', false), 'no');
  assert.equal(styled('no', undefined, true), 'no');
  assert.equal(
    styledDiff('--- a\n+++ b\n-old\n+new\n same', true),
    '--- a\n+++ b\n\u001b[31m-old\u001b[39m\n\u001b[32m+new\u001b[39m\n same',
  );
  assert.equal(styledDiff('-old', false), '-old');
});

test('problems name their command in red, and other output has no colours', async () => {
  const plain = await runLine('agent -nope');
  assert.equal(plain.err, 'weir agent: -nope: unknown flag\n');
  const coloured = await runLine('agent -nope', { hasColours: true });
  assert.equal(coloured.err, '\u001b[31mweir agent:\u001b[39m -nope: unknown flag\n');
  const json = await runLine('version -output json', { hasColours: true });
  assert.equal(json.out, '{"release":"v830"}\n');
});
