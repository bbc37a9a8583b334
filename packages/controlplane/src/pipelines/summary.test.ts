import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiLimits } from '@weir/api/limits';
import * as fc from 'fast-check';
import { stringify } from 'yaml';
import { summaryOf } from './summary.ts';

test('a summary has a line for each setting, without secrets', () => {
  const yaml = `
input:
  kafka_franz: { seed_brokers: [a:9092, b:9092], sasl: [{ mechanism: PLAIN, password: hunter2 }] }
pipeline:
  threads: -1
  processors:
    - mapping: |
        root = this
        root.token = "hunter2"
    - drop: {}
output: { http_client: { url: "https://u:hunter2@host/a" } }
buffer:
`;
  assert.deepEqual(summaryOf(yaml), {
    settings: [
      { path: 'input.kafka_franz.seed_brokers', value: 'a:9092, b:9092' },
      { path: 'input.kafka_franz.sasl[0].mechanism', value: 'PLAIN' },
      { path: 'input.kafka_franz.sasl[0].password', value: '***' },
      { path: 'pipeline.threads', value: '-1' },
      { path: 'pipeline.processors[0].mapping', value: 'root = this … (2 lines)' },
      { path: 'pipeline.processors[1].drop', value: '{}' },
      { path: 'output.http_client.url', value: 'https://***@host/a' },
      { path: 'buffer', value: '' },
    ],
    leftOut: 0,
  });
});

test('a summary is bounded, and reports the number of omitted lines', () => {
  const count = apiLimits.pipelineSummaryRowsMax + 7;
  const yaml = stringify(
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'x'.repeat(300)])),
  );
  const { settings, leftOut } = summaryOf(yaml)!;
  assert.deepEqual([settings.length, leftOut], [apiLimits.pipelineSummaryRowsMax, 7]);
  for (const { value } of settings) assert.equal(value.length, apiLimits.pipelineSummaryCharsMax);
});

test('an unparsable text has no summary', () => assert.equal(summaryOf('['), undefined));

test('a summary never contains a secret, and every entry is one line', () => {
  const secret = 'hunter2-hunter2';
  const name = fc.constantFrom('a', 'topics', 'nested', 'url', 'b\nc', 'ü');
  const secretEntry = fc.oneof(
    fc
      .constantFrom('password', 'sasl_password', 'clientSecret', 'api_key', 'auth_token', 'X-Api-Key')
      .chain((key) => fc.constantFrom([key, secret], [key, [secret, 1]], [key, { deep: { er: secret } }])),
    fc.constantFrom(['url', `redis://:${secret}@host`], ['value', `Authorization: Bearer ${secret}`]),
  ) as fc.Arbitrary<[string, unknown]>;
  const { map } = fc.letrec<{ map: object; value: unknown }>((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, fc.string(), fc.integer(), fc.array(tie('map')), tie('map')),
    map: fc
      .tuple(
        fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }),
        fc.array(secretEntry, { maxLength: 2 }),
      )
      .map(([plain, secrets]) => Object.fromEntries([...plain, ...secrets])),
  }));
  fc.assert(
    fc.property(map, (configuration) => {
      const summary = summaryOf(stringify(configuration))!;
      const text = JSON.stringify(summary);
      assert.ok(!text.includes('hunter2'), text);
      for (const { path, value } of summary.settings) assert.doesNotMatch(path + value, /\p{Cc}/u);
    }),
    { numRuns: 300 },
  );
});
