import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogue } from '../catalogue.ts';
import { readConfiguration } from './read-configuration.ts';

const managed = { catalogue, isLocal: false };

/** Problems as `line:column message`. */
function problemsIn(yaml: string, options = managed): string[] {
  return readConfiguration(yaml, options).problems.map(
    ({ place: { line, column }, message }) => `${line}:${column} ${message}`,
  );
}

const rows: readonly (readonly [what: string, yaml: string, problems: readonly (string | RegExp)[]])[] = [
  ['the smallest', 'input: {generate: {mapping: root = 1}}\noutput: {drop: {}}', []],
  ['no input', 'output: {drop: {}}', ['1:1 input is missing']],
  [
    'an unknown component',
    'input: {generat: {}}\noutput: {drop: {}}',
    ['1:9 there is no input "generat"; did you mean generate?'],
  ],
  [
    'a component that Bento has',
    'input: {twitter_search: {}}\noutput: {drop: {}}',
    ['1:9 input twitter_search is known and not available in this release'],
  ],
  [
    'an unknown field',
    'input:\n  generate:\n    mapping: root = 1\n    intervall: 1s\noutput: {drop: {}}',
    ['4:5 there is no field "intervall"; did you mean interval?'],
  ],
  [
    'a broken mapping',
    'input:\n  generate:\n    mapping: root = = (\noutput: {drop: {}}',
    [/^3:21 in the mapping: /],
  ],
  [
    'a mapping that is broken in its third line',
    'input:\n  generate:\n    mapping: |\n      root.a = 1\n\n      root.b = = 2\noutput: {drop: {}}',
    [/^6:16 in the mapping: /],
  ],
  [
    'two types',
    'input: {generate: {mapping: root = 1}}\noutput: {drop: {}, reject: no}',
    ['2:20 an output has one type, and there are "drop" and "reject"'],
  ],
  [
    'a label twice',
    'input: {label: a, generate: {mapping: root = 1}}\noutput: {label: a, drop: {}}',
    ['2:17 the label a is used in line 1 already'],
  ],
  [
    'a label with capitals',
    'input: {label: A, generate: {mapping: root = 1}}\noutput: {drop: {}}',
    ['1:16 a label has lower-case letters, digits and _, and begins with no _'],
  ],
  [
    'a number that is none',
    'input: {generate: {mapping: root = 1, count: many}}\noutput: {drop: {}}',
    ['1:46 count has to be a whole number'],
  ],
  [
    'oauth for a registry',
    'input: {generate: {mapping: root = 1}}\npipeline:\n  processors:\n    - schema_registry_decode:\n        url: http://a.example\n        oauth: {enabled: true}\noutput: {drop: {}}',
    ['6:16 oauth is not available for registries; use basic_auth or jwt'],
  ],
  [
    'a field at the top',
    'input: {generate: {mapping: root = 1}}\noutput: {drop: {}}\npipelines: {}',
    ['3:1 there is no field "pipelines"; did you mean pipeline?'],
  ],
];

// biome-ignore format: a table
const ignored: readonly (readonly [what: string, yaml: string, warnings: readonly string[]])[] = [
  ['at the top, and deep within', 'input:\n  http_client:\n    url: http://a.example/\n    transport:\n      force_http2: true\noutput: {drop: {}}\nlogger: {level: WARN}',
    ['5:7 force_http2 has no effect: requests are HTTP/1.1', '7:1 logger has no effect: logs go where the operator sends them']],
  ['without a value',             'input: {http_client: {url: "http://a.example/", transport: {force_http2: }}}\noutput: {drop: {}}', []],
  ['of a search output',          'input: {generate: {mapping: root = 1}}\noutput:\n  elasticsearch:\n    urls: [http://a.example]\n    index: a\n    max_retries: 3\n    backoff: {max_interval: 1s}',
    ['6:5 max_retries has no effect: what is not stored is written again, without end', '7:5 backoff has no effect: what is not stored is written again, without end']],
  ['of a registry',               'input: {generate: {mapping: root = 1}}\npipeline:\n  processors:\n    - schema_registry_decode: {url: http://a.example, avro_nested_schemas: true}\noutput: {drop: {}}',
    ['4:55 avro_nested_schemas has no effect: references are always followed']],
];

for (const [what, yaml, expected] of ignored) {
  test(`warnings about fields without effect, ${what}`, () => {
    const { warnings, problems } = readConfiguration(yaml, managed);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      warnings.map(({ place: { line, column }, message }) => `${line}:${column} ${message}`).toSorted(),
      expected,
    );
  });
}

for (const [what, yaml, expected] of rows) {
  test(`a configuration with ${what}`, () => {
    const found = problemsIn(yaml);
    assert.equal(found.length, expected.length, found.join('\n'));
    for (const [at, problem] of found.entries()) {
      const rule = expected[at];
      if (rule instanceof RegExp) assert.match(problem, rule);
      else assert.equal(problem, rule);
    }
  });
}

const counted = (count: string) =>
  `input: {generate: {mapping: root = 1, count: ${JSON.stringify(count)}}}\noutput: {drop: {}}`;

test('a reference that has no value yet is accepted, and nothing can run', () => {
  for (const text of [`\${COUNT}`, `\${secret:count}`]) {
    const { problems, config } = readConfiguration(counted(text), managed);
    assert.deepEqual([problems, config], [[], undefined]);
  }
});

test('references have values when a configuration runs', () => {
  const references = {
    variable: (name: string) => (name === 'COUNT' ? '7' : undefined),
    secrets: { count: '8' },
  };
  const countOf = (text: string) => {
    const { config, problems } = readConfiguration(counted(text), { ...managed, references });
    return problems[0]?.message ?? (config!.input.values as { count: number }).count;
  };
  assert.equal(countOf(`\${COUNT}`), 7);
  assert.equal(countOf(`\${secret:count}`), 8);
  assert.equal(countOf(`\${OTHER:9}`), 9);
  assert.match(String(countOf(`\${OTHER}`)), /the variable OTHER is not set/);
  assert.match(String(countOf(`\${secret:other}`)), /names the secret other/);
  assert.match(String(countOf(`\${{secret:count}}`)), /count has to be a whole number/);
  assert.match(String(countOf(`\${{COUNT}}`)), /count has to be a whole number/);
});

test('a value cannot add fields', () => {
  const references = { variable: () => '1, mapping: x}}\noutput: {drop: {}}', secrets: {} };
  const { problems } = readConfiguration(counted(`\${COUNT}`), { ...managed, references });
  assert.deepEqual(
    problems.map(({ message }) => message),
    ['count has to be a whole number'],
  );
});
