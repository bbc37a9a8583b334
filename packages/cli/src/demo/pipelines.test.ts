import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configurationProblems } from '@weir/controlplane/pipeline-configuration';
import { HandClock } from '@weir/core/testing';
import { Trials } from '@weir/pipelines';
import { demoPipelines, demoTablePipelines } from './pipelines.ts';
import { demoTopicNames } from './topics.ts';

/** What the processors after the first make of a record, which the registry has decoded. */
const rows: readonly [name: string, record: object, result: object | undefined][] = [
  [
    'large-orders',
    { order_id: 'o-1', customer_id: 'c-1', total_cents: 30000, currency: 'EUR', items: [{ sku: 'sku-1' }] },
    { order_id: 'o-1', customer_id: 'c-1', total: 300, currency: 'EUR', items: ['sku-1'] },
  ],
  ['large-orders', { order_id: 'o-2', total_cents: 29999 }, undefined],
  [
    'product-views',
    { path: '/products/sku-7', device: 'phone', duration_ms: 1600 },
    {
      path: '/products/sku-7',
      device: 'phone',
      duration_ms: 1600,
      sku: 'sku-7',
      is_mobile: true,
      seconds: 2,
    },
  ],
  ['product-views', { path: '/cart', device: 'phone', duration_ms: 1 }, undefined],
];

test('the pipelines of the demo are valid, and make of records what they say', async () => {
  const pipelines = demoPipelines('http://localhost:9094');
  // A busy machine may need longer than a person should wait.
  const trials = new Trials(new HandClock());
  for (const [name, yaml] of Object.entries(pipelines)) {
    assert.deepEqual(configurationProblems('bento', yaml), [], name);
    assert.ok(
      demoTopicNames.some((topic) => topic === name),
      name,
    );
  }
  for (const [name, record, result] of rows) {
    const yaml = pipelines[name]!.replace(/ +- schema_registry_decode.*\n/, '');
    const answer = await trials.run({ yaml, messages: [{ content: JSON.stringify(record), metadata: {} }] });
    assert.ok('steps' in answer, JSON.stringify(answer));
    const made = answer.steps.at(-1)!.batches.flat();
    assert.deepEqual(
      made.map(({ content, error }) => error ?? (JSON.parse(content) as unknown)),
      result === undefined ? [] : [result],
      name,
    );
  }
});

test('the tables of the demo are valid', () => {
  const source = { host: 'localhost', kafkaPort: 9092, registryUrl: 'http://localhost:9094' };
  for (const usesTls of [false, true])
    for (const yaml of Object.values(demoTablePipelines({ ...source, usesTls })))
      assert.deepEqual(configurationProblems('data_lake', yaml), []);
});
