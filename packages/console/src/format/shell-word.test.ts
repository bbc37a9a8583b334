import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shellWord } from './shell-word.ts';

test('a name is one word of a shell', () => {
  for (const [text, word] of [
    ['orders', 'orders'],
    ['a b', `'a b'`],
    ['$(rm -rf x)', `'$(rm -rf x)'`],
    ["it's", `'it'\\''s'`],
    ['', `''`],
  ] as const)
    assert.equal(shellWord(text), word);
});
