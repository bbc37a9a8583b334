import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutText, visibleLines, visibleText } from './visible-text.ts';

test('invisible characters become symbols, and scripts stay', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['a\u0000b\n', 'a␀b␊'],
    ['\u007f\u0085', '␡⟨U+0085⟩'],
    ['\u202egnp.exe', '⟨U+202E⟩gnp.exe'],
    ['\u2066x\u2069', '⟨U+2066⟩x⟨U+2069⟩'],
    ['שלום 你好 🙂', 'שלום 你好 🙂'],
  ];
  for (const [text, visible] of cases) assert.equal(visibleText(text), visible);
});

test('breaks of lines and tabs stay in a text of several lines', () => {
  assert.equal(visibleLines('{\r\n\t"\u202ea\u0007"\n}'), '{\r\n\t"⟨U+202E⟩a␇"\n}');
});

test('a cut leaves whole characters', () => {
  assert.equal(cutText('abc', 3), 'abc');
  assert.equal(cutText('abcd', 3), 'abc…');
  assert.equal(cutText('ab🙂', 3), 'ab…');
});
