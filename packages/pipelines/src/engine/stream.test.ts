import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonLog, nextTurn } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { Collected, runPipeline, testServices } from '../../testing/run-pipeline.ts';
import { BatchFailure } from '../component/instances.ts';

const numbers = (count: number, batchSize = 1) => `
input:
  generate:
    mapping: root.id = counter()
    interval: ""
    count: ${count}
    batch_size: ${batchSize}
`;

const ids = (collected: Collected) => collected.texts.map((text) => JSON.parse(text).id);

test('messages go from the input through the processors to the output, in order', async () => {
  const collected = await runPipeline(`${numbers(5)}
pipeline:
  processors:
    - mapping: 'root = this.merge({"double": this.id * 2})'
    - mapping: root = if this.id == 3 { deleted() }
output:
  collect: {}
`);
  assert.deepEqual(collected.texts, [
    '{"id":1,"double":2}',
    '{"id":2,"double":4}',
    '{"id":4,"double":8}',
    '{"id":5,"double":10}',
  ]);
});

test('a message on which a processor fails flows on unchanged', async () => {
  const collected = await runPipeline(`${numbers(1)}
pipeline:
  processors:
    - mapping: root = throw("no")
output:
  collect: {}
`);
  assert.deepEqual(collected.texts, ['{"id":1}']);
  assert.match(collected.batches[0]![0]!.error!.message, /no/);
});

test('a batch that was not written is delivered again', async () => {
  const collected = new Collected();
  collected.fail = (_, attempt) => {
    if (attempt === 2) throw new Error('down');
  };
  await runPipeline(`${numbers(3)}\noutput:\n  collect: {}\n`, { collected });
  assert.deepEqual(ids(collected).toSorted(), [1, 2, 3]);
});

test('of a batch that was written in part, only the rest is delivered again', async () => {
  const collected = new Collected();
  collected.fail = (batch, attempt) => {
    if (attempt === 1) throw new BatchFailure(new Map([[1, new Error(`no ${batch.length}`)]]));
  };
  await runPipeline(`${numbers(3, 3)}\noutput:\n  collect: {}\n`, { collected });
  assert.deepEqual(ids(collected), [2]);
});

test('strategy reject delivers a failed batch again until it succeeds', async () => {
  const collected = await runPipeline(`${numbers(1)}
pipeline:
  processors:
    - mapping: |
        root = if count("attempts") < 3 { throw("not yet") }
error_handling:
  strategy: reject
output:
  collect: {}
`);
  assert.equal(collected.texts.length, 1);
});

test('batches are processed side by side and written in order', async () => {
  const collected = await runPipeline(`${numbers(20)}
pipeline:
  threads: 4
  processors:
    - mapping: root = this
output:
  collect: {}
`);
  assert.deepEqual(
    ids(collected),
    Array.from({ length: 20 }, (_, at) => at + 1),
  );
});

test('failed messages are logged with their content where that is configured', async () => {
  const lines: Record<string, unknown>[] = [];
  const log = jsonLog({ level: 'warn', nowMs: () => 0, write: (line) => lines.push(JSON.parse(line)) });
  await runPipeline(
    `${numbers(1)}
pipeline:
  processors:
    - mapping: root = throw("no")
error_handling:
  log: {enabled: true, add_payload: true}
output:
  collect: {}
`,
    { services: { ...testServices(), log } },
  );
  assert.deepEqual(
    lines.map(({ message, payload, stage }) => [message, payload, stage]),
    [['failed to process a message', '{"id":1}', 'root.pipeline.processors.0']],
  );
});

test('a message that is delivered again is no duplicate of itself', async () => {
  const collected = new Collected();
  collected.fail = (_, attempt) => {
    if (attempt <= 2) throw new Error('down');
  };
  await runPipeline(
    `${numbers(4, 2)}
pipeline:
  processors:
    - dedupe:
        cache: seen
        key: \${! this.id % 3 }
cache_resources:
  - label: seen
    memory: {}
output:
  collect: {}
`,
    { collected },
  );
  assert.deepEqual(ids(collected).toSorted(), [1, 2, 3]);
});

test('a message that is still processed at the end is not written', async () => {
  const stop = new AbortController();
  const services = testServices();
  const running = runPipeline(
    `${numbers(2)}
pipeline:
  processors:
    - switch:
        - check: this.id == 2
          processors:
            - sleep:
                duration: 1h
shutdown_timeout: 1ms
output:
  collect: {}
`,
    { stop: stop.signal, services },
  );
  await nextTurn(services.clock);
  stop.abort();
  const collected = await running;
  await nextTurn(services.clock);
  assert.ok(!ids(collected).includes(2));
});

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

test('an output that is down for an hour holds back the input and loses nothing, and order is kept', async () => {
  const clock = new HandClock();
  const collected = new Collected();
  const counters = new Map<string, number>();
  const services = { ...testServices(), clock };
  services.mappingPorts = { ...services.mappingPorts, counters };
  const readWhileDown: number[] = [];
  collected.fail = () => {
    if (clock.monotonicMs() >= 3_600_000) return;
    readWhileDown.push(counters.get('made') ?? 0);
    throw new Error('down');
  };
  const running = runPipeline(
    `
input:
  generate: {mapping: root.id = count("made"), interval: 10ms, count: 2000, batch_size: 2}
output:
  collect: {}
`,
    { collected, services },
  );
  await clock.until(running);
  assert.deepEqual(ids(collected), range(1, 2000));
  assert.ok(Math.max(...readWhileDown) < 100, `read ${Math.max(...readWhileDown)} while the output was down`);
});

test('at its end an input waits for what outputs have gathered', async () => {
  const clock = new HandClock();
  const running = runPipeline(
    `${numbers(5)}
output:
  broker:
    outputs: [{collect: {}}]
    batching: {count: 3}
`,
    { services: { ...testServices(), clock } },
  );
  const collected = await clock.until(running);
  assert.deepEqual(
    collected.batches.map((batch) => batch.length),
    [3, 2],
  );
});

test('a pipeline that is stopped writes what was gathered', async () => {
  const clock = new HandClock();
  const stop = new AbortController();
  clock.after(10_500, () => stop.abort());
  const running = runPipeline(
    `
input:
  generate: {mapping: root.id = counter(), interval: 1s}
output:
  broker:
    outputs: [{collect: {}}]
    batching: {count: 100}
`,
    { services: { ...testServices(), clock }, stop: stop.signal },
  );
  assert.deepEqual(ids(await clock.until(running)), range(1, 11));
});

test('a pipeline that is stopped waits for its output until shutdown_timeout', async () => {
  const clock = new HandClock();
  const stop = new AbortController();
  const collected = new Collected();
  collected.fail = () => new Promise(() => undefined);
  clock.after(1000, () => stop.abort());
  const running = runPipeline(`${numbers(5)}\noutput:\n  collect: {}\nshutdown_timeout: 7s\n`, {
    collected,
    services: { ...testServices(), clock },
    stop: stop.signal,
  });
  await clock.until(running);
  assert.equal(clock.monotonicMs(), 8000);
  assert.deepEqual(collected.texts, []);
});

test('so it does if the output takes no more', async () => {
  const clock = new HandClock();
  const stop = new AbortController();
  clock.after(1000, () => stop.abort());
  const standardStreams = {
    input: (async function* () {})(),
    write: () => new Promise<void>(() => undefined),
  };
  const running = runPipeline(`${numbers(50)}\noutput:\n  stdout: {}\nshutdown_timeout: 7s\n`, {
    services: { ...testServices(), clock, standardStreams },
    stop: stop.signal,
  });
  await clock.until(running);
  assert.equal(clock.monotonicMs(), 8000);
});
