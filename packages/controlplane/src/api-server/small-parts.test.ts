import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestName } from '@weir/core';
import fc from 'fast-check';
import { DuplicateKeySearch } from './duplicate-key.ts';
import { htmlOfMarkdown } from './markdown-page.ts';

function duplicateKeyIn(text: string, steps?: number): string | undefined {
  const search = new DuplicateKeySearch(text);
  while (!search.advance(steps));
  return search.found;
}

test('a duplicate name in an object is found', () => {
  const cases: [text: string, twice: string | undefined][] = [
    ['{}', undefined],
    ['"a"', undefined],
    ['{"a":1,"b":2}', undefined],
    ['{"a":1,"a":2}', 'a'],
    ['{"a":1, "b":{"a":2}, "c":[{"a":3},{"a":4}]}', undefined],
    ['{"b":[{"a":3,"c":{},"a" \n:4}]}', 'a'],
    ['{"a":"a","b":"a\\":"}', undefined],
    ['{"a\\\\":1,"a":2}', undefined],
    ['{"\\u0061":1,"a":2}', 'a'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ];
  for (const [text, twice] of cases)
    for (const steps of [1, 7, undefined]) assert.equal(duplicateKeyIn(text, steps), twice, text);
});

test('printed JSON has no duplicate name, and an inserted one is found', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (value) => {
      const text = JSON.stringify(value);
      assert.equal(duplicateKeyIn(text), undefined);
      const [name] = Object.keys(JSON.parse(text) as object);
      assert.equal(duplicateKeyIn(`${text.slice(0, -1)},${JSON.stringify(name)}:0}`), name);
    }),
  );
});

test('the most similar name is suggested', () => {
  const names = ['list_topics', 'create_topic', 'users/list', 'sign_in'];
  const cases: [typed: string, meant: string | undefined][] = [
    ['list_topic', 'list_topics'],
    ['listtopics', 'list_topics'],
    ['create_topics', 'create_topic'],
    ['user/list', 'users/list'],
    ['signin', 'sign_in'],
    ['', undefined],
    ['delete_everything', undefined],
    ['x'.repeat(10_000), undefined],
  ];
  for (const [typed, meant] of cases) assert.equal(nearestName(typed, names), meant, typed.slice(0, 32));
});

test('Markdown is rendered as a page', () => {
  const markdown = [
    '# A <b> & c',
    '<!-- not shown -->',
    'Text with `code <i>` and a [link](#two).',
    '- one\n- two `a|b`\n  goes on',
    '| A | B |\n|---|---|\n| `x\\|y` | 1 \\< 2 \\| 3 |',
    '```json\n{"a": "<script>"}\n\n# no heading\n```',
    '## Two',
  ].join('\n\n');
  const html = htmlOfMarkdown(markdown, { title: 'T & t', style: '' });
  for (const part of [
    '<title>T &amp; t</title>',
    '<h1 id="a-b--c">A &lt;b&gt; &amp; c</h1>',
    '<p>Text with <code>code &lt;i&gt;</code> and a <a href="#two">link</a>.</p>',
    '<li>two <code>a|b</code>\n  goes on</li>',
    '<tr><td><code>x|y</code></td><td>1 &lt; 2 | 3</td></tr>',
    '<pre><code>{&quot;a&quot;: &quot;&lt;script&gt;&quot;}\n\n# no heading</code></pre>',
    '<h2 id="two">Two</h2>',
  ])
    assert.ok(html.includes(part), `${part} in ${html}`);
  assert.doesNotMatch(html, /not shown|<script>/);
});
