import assert from 'node:assert/strict';
import { test } from 'node:test';
import { escapeHtml, escapeMarkdown, escapePipes, markdownTable } from './markup.ts';

test('escaped text is unchanged when parsed as HTML or XML', () => {
  assert.equal(escapeHtml(`<a href="x">&'</a>`), '&lt;a href=&quot;x&quot;&gt;&amp;&#39;&lt;/a&gt;');
  assert.equal(escapeHtml('a\0b\u{ffff}c\n😀'), 'abc\n😀');
});

test('escaped text is unchanged when rendered as Markdown, and code stays code', () => {
  assert.equal(escapeMarkdown('a|b <c> *d* `e|<f>*`'), 'a\\|b \\<c> \\*d\\* `e\\|<f>*`');
  assert.equal(escapePipes('**a|b**'), '**a\\|b**');
});

test('a table has one line per row', () => {
  assert.equal(markdownTable(['a', 'b'], [['1', '2']]), '| a | b |\n|---|---|\n| 1 | 2 |');
});
