import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Clock, systemClock } from '@weir/core';
import * as fc from 'fast-check';
import { Collected, runPipeline, testServices } from '../../testing/run-pipeline.ts';
import { componentOf } from '../component/component-spec.ts';
import { int } from '../component/field-types.ts';
import type { Input } from '../component/instances.ts';
import { Message } from '../component/message.ts';
import { Wake } from './pending-read.ts';

/** Delivers numbers, of which no more than a limit are unsettled. */
const limited = componentOf('input', {
  name: 'limited',
  about: 'Delivers numbers, for tests.',
  fields: { from: int('The first.'), count: int('How many.'), limit: int('How many may be unsettled.') },
  open({ from, count, limit }, { heldBack }): Input {
    const settled = new Wake();
    let next = 0;
    let unsettled = 0;
    return {
      async read(stop) {
        stop.addEventListener('abort', () => settled.wake());
        while (!stop.aborted) {
          if (next === count) return undefined;
          if (unsettled < limit) {
            unsettled++;
            const settle = () => {
              unsettled--;
              settled.wake();
            };
            return { batch: [Message.of(String(from + next++))], settle };
          }
          const end = heldBack.begin();
          await settled.next();
          end();
        }
        return undefined;
      },
      async close() {},
    };
  },
});

/** Time that passes fast: what is waited for is not a time, but that it comes at all. */
const fastClock: Clock = {
  nowMs: () => systemClock.nowMs(),
  monotonicMs: () => systemClock.monotonicMs(),
  after: (delayMs, run) => systemClock.after(delayMs / 100, run),
};

/** Runs until all numbers were written. */
async function runAll(yaml: string, count: number): Promise<void> {
  const services = { ...testServices(), clock: fastClock };
  const { texts } = await runPipeline(yaml, { specs: [limited], services });
  assert.equal(new Set(texts).size, count);
}

const batching = (count: number) => (count === 0 ? '{}' : `{count: ${count}}`);

test('a pipeline goes on whatever its limits and batch sizes are', { timeout: 60_000 }, async () => {
  const size = fc.constantFrom(0, 1, 2, 3, 7, 50, 1000);
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        limits: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 3 }),
        count: fc.integer({ min: 1, max: 20 }),
        inner: size,
        input: size,
        buffer: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
        bufferBatch: size,
        outer: size,
        outputs: fc.array(size, { minLength: 1, maxLength: 2 }),
        inFlight: fc.integer({ min: 1, max: 3 }),
        pattern: fc.constantFrom('fan_out', 'fan_out_sequential', 'round_robin', 'greedy'),
        threads: fc.integer({ min: 1, max: 3 }),
      }),
      async (one) => {
        const inputs = one.limits.map(
          (limit, at) =>
            `{batched: {policy: ${batching(one.inner)}, child: {limited: {from: ${at * one.count}, count: ${one.count}, limit: ${limit}}}}}`,
        );
        const outputs = one.outputs.map(
          (count) => `{broker: {pattern: fan_out, outputs: [{collect: {}}], batching: ${batching(count)}}}`,
        );
        const buffer =
          one.buffer === undefined
            ? ''
            : `buffer: {memory: {limit: ${one.buffer}, batch_policy: {enabled: ${one.bufferBatch > 0}, count: ${one.bufferBatch}}}}`;
        await runAll(
          `
input: {broker: {inputs: [${inputs}], batching: ${batching(one.input)}}}
${buffer}
pipeline: {threads: ${one.threads}}
output: {broker: {pattern: ${one.pattern}, outputs: [${outputs}], batching: ${batching(one.outer)}}}
`,
          one.limits.length * one.count,
        );
      },
    ),
    { numRuns: 60 },
  );
});

test('a batch that is not full waits while another is being written', async () => {
  const collected = new Collected();
  const stop = new AbortController();
  const sizes: number[] = [];
  collected.fail = async (batch) => {
    sizes.push(batch.length);
    // The first takes several of the moments after which an input that is held back has batches written.
    if (sizes.length === 1) await new Promise<void>((resolve) => systemClock.after(5, resolve));
    if (sizes.reduce((sum, size) => sum + size) === 20) stop.abort();
  };
  const services = { ...testServices(), clock: fastClock };
  const yaml = `
input: {limited: {from: 0, count: 20, limit: 12}}
output: {broker: {pattern: fan_out, outputs: [{collect: {}}], batching: {count: 10}}}
`;
  await runPipeline(yaml, { collected, specs: [limited], services, stop: stop.signal });
  assert.deepEqual(sizes, [10, 10]);
});
