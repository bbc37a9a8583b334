import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { RandomPipeline } from '../../testing/random-pipelines.ts';
import { catalogueWith, readWith, testServices } from '../../testing/run-pipeline.ts';
import { Stream } from './stream.ts';

async function runRandom(seed: number, stopsAfterMs?: number): Promise<RandomPipeline> {
  const random = seededRandom(seed);
  const clock = new HandClock();
  const pipeline = new RandomPipeline(random, clock);
  const catalogue = catalogueWith(...pipeline.specs);
  const services = { ...testServices(), clock, random };
  const stop = new AbortController();
  if (stopsAfterMs !== undefined) clock.after(stopsAfterMs, () => stop.abort());
  await clock.until(new Stream(readWith(pipeline.config, catalogue), services, catalogue).run(stop.signal));
  return pipeline;
}

const seeds = Array.from({ length: 150 }, (_, seed) => seed);

test('every delivery is settled once, and not before its messages are written', async () => {
  for (const seed of seeds) {
    const { watched, config } = await runRandom(seed);
    for (const { ids, settled, lost } of watched)
      assert.deepEqual(
        { settled, lost },
        { settled: 1, lost: [] },
        `seed ${seed}, messages ${ids}: ${config}`,
      );
  }
});

test('so it is if the pipeline is stopped', async () => {
  for (const seed of seeds) {
    const { watched, config } = await runRandom(seed, seed * 20);
    for (const { ids, settled, lost } of watched)
      assert.deepEqual(
        { settled, lost },
        { settled: 1, lost: [] },
        `seed ${seed}, messages ${ids}: ${config}`,
      );
  }
});
