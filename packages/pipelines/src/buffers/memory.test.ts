import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import { Collected, runPipeline, testServices } from '../../testing/run-pipeline.ts';
import { catalogue } from '../catalogue.ts';
import { readConfiguration } from '../config/read-configuration.ts';

const pipeline = (buffer: string, count = 6) => `
input:
  generate: {mapping: root = counter(), interval: 1s, count: ${count}}
buffer:
  memory: ${buffer}
pipeline: {threads: 1}
output: {collect: {}}
`;

test('a configuration with the buffer gets a warning', () => {
  const { problems, warnings } = readConfiguration(pipeline('{}').replace('collect', 'drop'), {
    catalogue,
    isLocal: false,
    references: { variable: () => undefined, secrets: {} },
  });
  assert.deepEqual(problems, []);
  assert.match(warnings[0]!.message, /acknowledges messages before they are written/);
});

test('what is in the buffer is written in order, also if the output was down', async () => {
  const clock = new HandClock();
  const collected = new Collected();
  collected.fail = () => {
    if (clock.monotonicMs() < 60_000) throw new Error('down');
  };
  const running = runPipeline(pipeline('{}'), { collected, services: { ...testServices(), clock } });
  await clock.until(running);
  assert.equal(collected.texts.join(''), '123456');
});

test('what is in the buffer is written after the input was stopped', async () => {
  const clock = new HandClock();
  const stop = new AbortController();
  const collected = new Collected();
  collected.fail = () => {
    if (!stop.signal.aborted) throw new Error('down');
  };
  clock.after(3500, () => stop.abort());
  const running = runPipeline(pipeline('{}', 100), {
    collected,
    services: { ...testServices(), clock },
    stop: stop.signal,
  });
  await clock.until(running);
  assert.equal(collected.texts.join(''), '1234');
});

test('messages of the buffer are gathered', async () => {
  const clock = new HandClock();
  const running = runPipeline(pipeline('{batch_policy: {enabled: true, count: 4}}'), {
    services: { ...testServices(), clock },
  });
  const { batches } = await clock.until(running);
  assert.deepEqual(
    batches.map((batch) => batch.length),
    [4, 2],
  );
});

test('at its limit the buffer holds back the input, or drops messages', async () => {
  // biome-ignore format: a table
  const cases: readonly [buffer: string, written: string][] = [
    ['{limit: 2}',                  '123456'],
    ['{limit: 2, spillover: true}', '12'],
    // A message above the limit waits until it is alone.
    ['{limit: 0}',                  '123456'],
  ];
  for (const [buffer, written] of cases) {
    const clock = new HandClock();
    const collected = new Collected();
    collected.fail = () => {
      if (clock.monotonicMs() < 60_000) throw new Error('down');
    };
    const running = runPipeline(pipeline(buffer), { collected, services: { ...testServices(), clock } });
    await clock.until(running);
    assert.equal(collected.texts.join(''), written, buffer);
  }
});
