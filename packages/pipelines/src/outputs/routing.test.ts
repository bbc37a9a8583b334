import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import { Collected, runPipeline, testServices } from '../../testing/run-pipeline.ts';
import { BatchFailure } from '../component/instances.ts';
import type { Batch } from '../component/message.ts';

const down = () => {
  throw new Error('down');
};

/** Takes a while. */
const later = async () => {
  for (let hop = 0; hop < 100; hop++) await undefined;
};

/** Fails on the first attempt. */
const once = (_batch: Batch, attempt: number) => {
  if (attempt === 1) throw new Error('down once');
};

/** Fails on the message of this text, always. */
const on = (text: string) => (batch: Batch) => {
  const failed = new Map<number, Error>();
  for (const [at, { content }] of batch.entries())
    if (content.toString() === text) failed.set(at, new Error(`no ${text}`));
  if (failed.size > 0) throw new BatchFailure(failed);
};

interface Case {
  readonly what: string;
  readonly output: string;
  readonly a?: Collected['fail'];
  readonly b?: Collected['fail'];
  /** The texts that the outputs `a` and `b` have. */
  readonly expected: readonly [a: string, b: string];
  readonly batchSize?: number;
}

const cases: readonly Case[] = [
  { what: 'fan_out', output: 'broker: {outputs: [{a: {}}, {b: {}}]}', expected: ['1234', '1234'] },
  {
    what: 'fan_out writes again only where it failed',
    output: 'broker: {outputs: [{a: {}}, {b: {}}]}',
    b: once,
    expected: ['1234', '1234'],
  },
  {
    what: 'fan_out_fail_fast lets the input deliver again',
    output: 'broker: {pattern: fan_out_fail_fast, outputs: [{a: {}}, {b: {}}]}',
    b: once,
    batchSize: 4,
    expected: ['12341234', '1234'],
  },
  {
    what: 'fan_out_sequential',
    output: 'broker: {pattern: fan_out_sequential, outputs: [{a: {}}, {b: {}}]}',
    a: once,
    batchSize: 2,
    expected: ['1234', '1234'],
  },
  {
    what: 'fan_out_sequential_fail_fast writes to no other output what failed',
    output:
      'broker: {pattern: fan_out_sequential_fail_fast, outputs: [{a: {}}, {drop_on: {error: true, output: {b: {}}}}]}',
    a: once,
    batchSize: 4,
    expected: ['1234', '1234'],
  },
  {
    what: 'round_robin',
    output: 'broker: {pattern: round_robin, outputs: [{a: {}}, {b: {}}]}',
    expected: ['13', '24'],
  },
  { what: 'copies', output: 'broker: {copies: 2, outputs: [{a: {}}]}', expected: ['11223344', ''] },
  {
    what: 'greedy takes what is free',
    output: 'broker: {pattern: greedy, outputs: [{a: {}}, {b: {}}]}',
    a: later,
    b: later,
    expected: ['13', '24'],
  },
  {
    what: 'switch: the first case, and others after continue',
    output:
      'switch: {cases: [{check: this == 1, output: {a: {}}}, {check: this == 2, output: {a: {}}, continue: true}, {check: this < 4, output: {b: {}}}]}',
    batchSize: 4,
    expected: ['12', '23'],
  },
  {
    what: 'switch: a check that fails is not true',
    output: 'switch: {cases: [{check: this.a.b == 1, output: {a: {}}}, {output: {b: {}}}]}',
    expected: ['', '1234'],
  },
  {
    what: 'switch: only what failed is written again',
    output:
      'switch: {retry_until_success: true, cases: [{check: this < 3, output: {a: {}}}, {output: {b: {}}}]}',
    a: once,
    batchSize: 4,
    expected: ['12', '34'],
  },
  {
    what: 'switch in strict mode fails the batch',
    output:
      'fallback: [{switch: {strict_mode: true, cases: [{check: this == 1, output: {a: {}}}, {check: this == 2, output: {a: {}}}]}}, {b: {}}]',
    expected: ['12', '34'],
  },
  {
    what: 'fallback: all',
    output: 'fallback: [{a: {}}, {b: {}}]',
    a: down,
    batchSize: 4,
    expected: ['', '1234'],
  },
  { what: 'reject and fallback', output: 'fallback: [{reject: no}, {b: {}}]', expected: ['', '1234'] },
  {
    what: 'reject_errored: the dead letters',
    output:
      'fallback: [{reject_errored: {a: {}}}, {b: {}}]\n  processors:\n    - mapping: root = if this == 3 { throw("no") }',
    batchSize: 4,
    expected: ['124', '3'],
  },
  {
    what: 'drop_on error',
    output: 'drop_on: {error: true, output: {a: {}}}',
    a: once,
    expected: ['234', ''],
  },
  {
    what: 'drop_on error_patterns',
    output: 'fallback: [{drop_on: {error_patterns: ["^no [12]$"], output: {a: {}}}}, {b: {}}]',
    a: (batch, attempt) => {
      if (attempt < 4) throw new Error(`no ${batch[0]!.content}`);
    },
    expected: ['4', '3'],
  },
  { what: 'retry', output: 'retry: {output: {a: {}}}', a: once, expected: ['1234', ''] },
  {
    what: 'retry gives up',
    output: 'fallback: [{retry: {max_retries: 3, output: {a: {}}}}, {b: {}}]',
    a: (_, attempt) => {
      if (attempt <= 4) throw new Error('no');
    },
    expected: ['234', '1'],
  },
  {
    what: 'a resource that two outputs use',
    output: 'fallback: [{reject: no}, {resource: both}]\noutput_resources: [{label: both, a: {}}]',
    expected: ['1234', ''],
  },
];

for (const { what, output, a, b, expected, batchSize = 1 } of cases)
  test(what, async () => {
    const clock = new HandClock();
    const [first, second] = [new Collected('a'), new Collected('b')];
    first.fail = a;
    second.fail = b;
    const running = runPipeline(
      `
input:
  generate: {mapping: root = counter(), interval: "", count: 4, batch_size: ${batchSize}}
pipeline: {threads: 1}
output:
  ${output}
`,
      { services: { ...testServices(), clock }, specs: [first.spec, second.spec] },
    );
    await clock.until(running);
    assert.deepEqual([first.texts.join(''), second.texts.join('')], expected);
  });

test('the next output of a fallback knows the error, and gets only what failed', async () => {
  const [first, second] = [new Collected('a'), new Collected('b')];
  first.fail = (batch) => {
    on('2')(batch);
  };
  await runPipeline(
    `
input:
  generate: {mapping: root = counter(), interval: "", count: 3, batch_size: 3}
output:
  fallback: [{a: {}}, {b: {}}]
`,
    { specs: [first.spec, second.spec] },
  );
  assert.deepEqual(
    second.batches
      .flat()
      .map(({ content, metadata }) => [content.toString(), metadata.get('fallback_error')]),
    [['2', 'no 2']],
  );
});

test('drop_on drops what an output takes too long for', async () => {
  const clock = new HandClock();
  const stuck = new Collected('stuck');
  stuck.fail = (_, attempt) => (attempt === 2 ? new Promise(() => undefined) : undefined);
  const running = runPipeline(
    `
input:
  generate: {mapping: root = counter(), interval: 1s, count: 4}
output:
  drop_on: {error: true, back_pressure: 500ms, output: {stuck: {}}}
`,
    { services: { ...testServices(), clock }, specs: [stuck.spec] },
  );
  await clock.until(running);
  assert.deepEqual(stuck.texts, ['1']);
});
