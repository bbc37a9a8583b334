import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { highlightTree, tagHighlighter, tags } from '@lezer/highlight';
import { generatedParserUrl, generateParser } from '../../testing/generate-parser.ts';
import { filterParser, tokensOf } from './language.ts';
import { words } from './tree.ts';

test('the parser on disk matches the grammar', () => {
  assert.ok(
    readFileSync(generatedParserUrl, 'utf8') === generateParser(),
    'parser.ts is out of date; run node packages/events/testing/generate-parser.ts',
  );
});

test('the words of the tree are the words of the grammar', () => {
  const names = tokensOf(words.join(' ')).map(({ name }) => name);
  assert.deepEqual(names, [...words]);
});

test('an editor gets the kind of every part of a filter', () => {
  const highlighter = tagHighlighter([
    { tag: tags.propertyName, class: 'field' },
    { tag: tags.derefOperator, class: 'dot' },
    { tag: tags.typeName, class: 'cast' },
    { tag: tags.operator, class: 'operator' },
    { tag: tags.operatorKeyword, class: 'word' },
    { tag: tags.string, class: 'text' },
    { tag: tags.number, class: 'number' },
    { tag: tags.null, class: 'null' },
    { tag: tags.bool, class: 'bool' },
    { tag: tags.invalid, class: 'invalid' },
  ]);
  const cases: [text: string, shown: string][] = [
    ['a == 1', 'field:a operator:== number:1'],
    ['data.in::int > 5', 'field:data dot:. field:in dot::: cast:int operator:> number:5'],
    ['`a b` not like "x"', 'field:`a b` word:not word:like text:"x"'],
    ['a == true or b != null', 'field:a operator:== bool:true word:or field:b operator:!= null:null'],
    ['a = 1', 'field:a invalid:= number:1'],
    ['a == "x', 'field:a operator:== invalid:"x'],
  ];
  for (const [text, expected] of cases) {
    const shown: string[] = [];
    highlightTree(filterParser.parse(text), highlighter, (from, to, name) => {
      shown.push(`${name}:${text.slice(from, to)}`);
    });
    assert.equal(shown.join(' '), expected);
  }
});
