import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiLimits } from '@weir/api/limits';
import * as fc from 'fast-check';
import { printYaml } from './print-yaml.ts';
import { readYaml } from './read-yaml.ts';
import { plainValueOf, type YamlValue } from './yaml-value.ts';

function readWell(text: string): YamlValue {
  const reading = readYaml(text);
  assert.ok('value' in reading, JSON.stringify(reading));
  return reading.value;
}

/** The first problem as `line:column message`. */
function problemIn(text: string): string {
  const reading = readYaml(text);
  assert.ok('problems' in reading, 'it was read');
  const { place, message } = reading.problems[0];
  return `${place.line}:${place.column} ${message}`;
}

test('values have their positions', () => {
  const root = readWell('a: 1\nb:\n  - x\n  - {c: true}\nd:\n');
  assert.ok(root.kind === 'mapping');
  const [a, b, d] = root.entries;
  assert.deepEqual(
    [a!.place, a!.value.place],
    [
      { line: 1, column: 1 },
      { line: 1, column: 4 },
    ],
  );
  assert.ok(b!.value.kind === 'list');
  assert.deepEqual(b!.value.items[1]!.place, { line: 4, column: 5 });
  assert.equal(d!.value.kind === 'scalar' && d!.value.value, null);
  assert.deepEqual([root.size, root.height], [7, 4]);
});

const bad: [what: string, text: string, problem: RegExp][] = [
  ['a broken line', 'a: [1,\nb: 2', /^\d:\d .*(?:Flow|flow)/],
  ['a duplicate key', 'a: 1\nb: 2\na: 3', /^3:1 "a" is defined twice$/],
  ['two documents', 'a: 1\n---\nb: 2', /^2:1 Source contains multiple documents/],
  ['an unknown tag', 'a: !secret x', /^1:4 Unresolved tag: !secret$/],
  ['a key that is a list', '? [a]\n: 1', /^1:3 a key has to be a plain text$/],
  ['an alias of nothing', 'a: *b', /^1:4 an alias stands for nothing$/],
  ['an alias before its anchor', 'a: *b\nb: &b 1', /^1:4 an alias stands for nothing$/],
  ['an alias of itself', 'a: &a [*a]', /^1:8 an alias is within what it stands for$/],
  ['merged fields', 'a: &a {b: 1}\nc:\n  <<: *a', /^3:3 fields cannot be merged with <</],
];

for (const [what, text, problem] of bad) {
  test(`${what} is a problem with a position`, () => assert.match(problemIn(text), problem));
}

const deep = apiLimits.pipelineYamlDepthMax;
const laughs = Array.from(
  { length: 9 },
  (_, n) =>
    `l${n}: &l${n} [${
      n === 0
        ? 'ha'
        : Array(9)
            .fill(`*l${n - 1}`)
            .join(', ')
    }]`,
).join('\n');
const nestedAliases = Array.from(
  { length: deep },
  (_, n) => `l${n}: &l${n} [${n === 0 ? '' : `*l${n - 1}`}]`,
);

const hostile: [what: string, text: string, problem: RegExp][] = [
  ['lists in lists', '['.repeat(deep + 1) + ']'.repeat(deep + 1), /nested more than 64 levels/],
  ['lists in lists without an end', '['.repeat(15_000), /nested more than 64 levels|Flow/],
  ['dashes after dashes', '- '.repeat(9_000), /nested more than 64 levels/],
  ['many keys', Array.from({ length: 12_000 }, (_, n) => `k${n}:`).join('\n'), /words and signs/],
  ['many commas', `[${','.repeat(100_000)}]`, /words and signs/],
  ['many aliases', `a: &a 1\nb: [${Array(101).fill('*a').join(', ')}]`, /more than 100 aliases/],
  ['a billion laughs', laughs, /stands for more than 50000 values/],
  ['aliases of aliases', nestedAliases.join('\n'), /nested more than 64 levels/],
  ['a long text', `a: ${'x'.repeat(apiLimits.pipelineConfigurationBytesMax)}`, /more than 131072 bytes/],
  [
    'long characters',
    `a: ${'ü'.repeat(apiLimits.pipelineConfigurationBytesMax / 2)}`,
    /more than 131072 bytes/,
  ],
];

for (const [what, text, problem] of hostile) {
  test(`${what}: refused`, () => assert.match(problemIn(text), problem));
}

test('the maximum depth is accepted', () => {
  readWell('['.repeat(deep - 1) + ']'.repeat(deep - 1));
});

test('any text is parsed or refused', () => {
  const piece = fc.constantFrom(
    ...[
      'a',
      ':',
      ' ',
      '\n',
      '- ',
      '[',
      ']',
      '{',
      '}',
      ',',
      '&x ',
      '*x',
      '!t ',
      '"',
      "'",
      '|',
      '>',
      '#',
      '? ',
      '%',
      '---\n',
    ],
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join('')),
    fc.string(),
  );
  fc.assert(
    fc.property(text, (anything) => {
      const reading = readYaml(anything);
      if ('problems' in reading)
        for (const { place } of reading.problems) assert.ok(place.line >= 1 && place.column >= 1);
    }),
    { numRuns: 2000 },
  );
});

test('printed values survive parsing', () => {
  const { value: anyValue } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 5 }, tie('scalar'), tie('list'), tie('map')),
    scalar: fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.boolean(), fc.constant(null)),
    list: fc.array(tie('value'), { maxLength: 4 }),
    map: fc
      .uniqueArray(
        fc.tuple(
          fc.string().filter((key) => key !== '<<'),
          tie('value'),
        ),
        {
          maxLength: 4,
          selector: ([key]) => key,
        },
      )
      .map((entries) => new Map(entries)),
  }));
  fc.assert(
    fc.property(anyValue, (plain) => {
      const printed = printYaml(yamlOf(plain));
      assert.deepEqual(plainValueOf(readWell(printed)), plain);
    }),
    { numRuns: 300 },
  );
});

const nowhere = { place: { line: 1, column: 1 }, size: 1, height: 1 };

function yamlOf(plain: unknown): YamlValue {
  if (Array.isArray(plain)) return { kind: 'list', items: plain.map(yamlOf), ...nowhere };
  if (plain instanceof Map) {
    const entries = [...plain].map(([key, value]) => ({ key, place: nowhere.place, value: yamlOf(value) }));
    return { kind: 'mapping', entries, ...nowhere };
  }
  return { kind: 'scalar', value: plain as null, ...nowhere };
}
