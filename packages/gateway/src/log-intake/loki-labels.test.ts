import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpProblem } from '@weir/http';
import fc from 'fast-check';
import { labelsText, parseLabels } from './loki-labels.ts';

test('labels are parsed as clients write them', () => {
  // biome-ignore format: a table
  const cases: [text: string, labels: Record<string, string>][] = [
    ['{}',                                 {}],
    [' { } ',                              {}],
    ['{a="b"}',                            { a: 'b' }],
    ['{a="b", c="d",}',                    { a: 'b', c: 'd' }],
    ['{ a = "b" ,c=`d"\\`}',               { a: 'b', c: 'd"\\' }],
    ['{a="x\\"y\\\\z\\n\\u00e9\\x41\\101\\U0001F600"}', { a: 'x"y\\z\né' + 'AA😀' }],
    ['{"k8s.pod"="p"}',                    { 'k8s.pod': 'p' }],
    ['{a="}, b="}',                        { a: '}, b=' }],
  ];
  for (const [text, labels] of cases) assert.deepEqual(Object.fromEntries(parseLabels(text)), labels, text);
});

test('what is no list of labels is refused in one line', () => {
  const many = Array.from({ length: 300 }, (_, index) => `l${index}="x"`).join(',');
  for (const text of [
    '',
    'a="b"',
    '{a}',
    '{a=b}',
    '{a="b"',
    '{a="b}',
    '{a="b"}x',
    '{a="b"} {',
    '{,}',
    `{${many}}`,
  ])
    assert.throws(() => parseLabels(text), { status: 400, message: /^The labels of a stream .*\.$/ }, text);
  assert.throws(() => parseLabels(`{a="${'x'.repeat(70_000)}"}`), HttpProblem);
});

test('the text of labels does not depend on their order, and is read back', () => {
  assert.equal(labelsText(parseLabels('{b="2", a="1\\n"}')), '{a="1\\n", b="2"}');
  const name = fc.stringMatching(/^[a-z_][a-z0-9_]{0,8}$/);
  fc.assert(
    fc.property(fc.dictionary(name, fc.string({ unit: 'grapheme' })), (labels) => {
      const map = new Map(Object.entries(labels));
      assert.deepEqual(new Map([...parseLabels(labelsText(map))].sort()), new Map([...map].sort()));
    }),
  );
});
