import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import { openProcessor, processed, shown } from '../../testing/open-processor.ts';
import { testServices } from '../../testing/run-pipeline.ts';
import { Message } from '../component/message.ts';
import { pipelineLimits } from '../limits.ts';

// biome-ignore format: a table
const cases: readonly [config: object, contents: readonly string[], results: readonly string[]][] = [
  [{ query: 'if . == 0 then empty else .[] end' }, ['0', '[1]', '{"b":2.0,"a":"x"}', 'no json'], ['1', '["x",2]', '! parse as json: invalid JSON']],
  [{ query: 'length', raw: true },                 ['no json'],                       ['7']],
  [{ query: '.[]', output_raw: true },             ['["a",[1]]', '[""]', '[]'],       ['a[1]', '']],
];

test('queries replace messages', async () => {
  for (const [config, contents, results] of cases) {
    const jq = await openProcessor({ jq: config });
    const made = await processed(
      jq,
      contents.map((content) => Message.of(content)),
    );
    assert.deepEqual(made.map(shown), results, JSON.stringify(config));
    await jq.close?.();
  }
  await assert.rejects(openProcessor({ jq: { query: '.a |' } }), /query of jq: syntax error/);
});

test('a query that takes too much fails its message alone', async () => {
  const contents = Array.from({ length: 20 }, (_, at) => (at === 3 ? '"much"' : String(at)));
  const jq = await openProcessor({ jq: { query: 'def f: f + 1; if . == "much" then f else . end' } });
  const made = await processed(
    jq,
    contents.map((content) => Message.of(content)),
  );
  const expected = contents.with(3, '! the query took too much memory, or calls itself too deeply');
  assert.deepEqual(made.map(shown), expected);
  await jq.close?.();
});

test('a query that never ends is ended', async () => {
  const clock = new HandClock();
  const services = { ...testServices(), clock };
  const jq = await openProcessor({ jq: { query: 'last(range(1e15))' } }, { services });
  const outcome = processed(jq, [Message.of('1')]);
  for (let turn = 0; turn < 20; turn++) await undefined;
  clock.advance(pipelineLimits.scriptMsMax);
  assert.deepEqual((await outcome).map(shown), ['! the query took more than 5000 ms']);
  const stop = new AbortController();
  const stopped = jq.process([Message.of('1')], stop.signal);
  stop.abort();
  await assert.rejects(async () => stopped, /the pipeline is stopping/);
  await jq.close?.();
});
