import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log, LogFields } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { testServices } from '../../testing/run-pipeline.ts';
import { type Given, OpenProcessors, processed, shown } from '../../testing/run-processors.ts';
import type { PipelineServices } from '../component/component-context.ts';
import { Message } from '../component/message.ts';
import { contentsOf, entryOf } from './cached.ts';

const caches = `cache_resources:
  - label: store
    memory:
      init_values:
        known: "7"
  - label: files
    file:
      directory: /nowhere/at/all
`;

interface Case {
  readonly what: string;
  readonly processors: string;
  readonly given?: readonly Given[];
  readonly result: readonly string[];
}

const cacheStep = (fields: string) => `- cache:\n    resource: store\n    key: \${! this.k }\n    ${fields}`;

const cases: readonly Case[] = [
  {
    what: 'cache sets and gets',
    processors: `${cacheStep(`operator: set\n    value: <\${! content() }>`)}\n${cacheStep('operator: get')}`,
    result: ['<{"k":"a"}>', '<{"k":"b"}>'],
  },
  {
    what: 'cache gets what the message before it has set',
    processors: `- switch:
  - check: this.set
    processors:
    ${cacheStep('operator: set\n    value: "1"').replaceAll('\n', '\n    ')}
  - processors:
    ${cacheStep('operator: exists').replaceAll('\n', '\n    ')}`,
    given: ['{"k":"a","set":true}', '{"k":"a","set":false}', '{"k":"b","set":false}'],
    result: ['{"k":"a","set":true}', 'true', 'false'],
  },
  {
    what: 'cache get of an unknown key fails and keeps the message',
    processors: cacheStep('operator: get'),
    given: ['{"k":"known"}', '{"k":"a"}'],
    result: ['7', `{"k":"a"} ! operator failed for key 'a': key does not exist`],
  },
  {
    what: 'cache add of a known key fails',
    processors: cacheStep('operator: add\n    value: x'),
    given: ['{"k":"known"}', '{"k":"a"}', '{"k":"a"}'],
    result: ['{"k":"known"} ! key already exists: known', '{"k":"a"}', '{"k":"a"} ! key already exists: a'],
  },
  {
    what: 'cache deletes',
    processors: `${cacheStep('operator: delete')}\n${cacheStep('operator: exists')}`,
    given: ['{"k":"known"}', '{"k":"never"}'],
    result: ['false', 'false'],
  },
  {
    what: 'cache with a ttl that is none',
    processors: cacheStep('operator: set\n    ttl: soon'),
    given: ['{"k":"a"}'],
    result: ['{"k":"a"} ! ttl has to be a duration such as 5m, not soon'],
  },
  {
    what: 'cache that is down fails the message',
    processors: '- cache:\n    resource: files\n    key: x\n    operator: set',
    given: ['a'],
    result: [`a ! ENOENT: no such file or directory, open '/nowhere/at/all/x'`],
  },
  {
    what: 'mappings use caches',
    processors: `- mapping: |
    let before = cache_get("store", "known").string()
    let set = cache_set("store", this.k, "v " + this.k)
    root = [$before, cache_get("store", this.k).string(), cache_add("store", this.k, "x").catch(err -> err)]`,
    given: ['{"k":"a"}'],
    result: [`["7","v a","key already exists"]`],
  },
  {
    what: 'mappings cannot wait for a cache',
    processors: '- mapping: root = cache_get("files", "x").catch(err -> err)',
    given: ['{}'],
    result: [
      "{} ! the cache 'files' has to be waited for, which mappings cannot; use the processor cache, or a cache such as memory",
    ],
  },
  {
    what: 'mappings do not know other caches',
    processors: '- mapping: root = cache_get("other", "known")',
    given: ['{}'],
    result: ["{} ! failed assignment (line 1): cache resource 'other' was not found"],
  },
  {
    what: 'dedupe keeps the first',
    processors: `- dedupe:\n    cache: store\n    key: \${! this.k }`,
    given: ['{"k":"a","n":1}', '{"k":"b","n":2}', '{"k":"a","n":3}', '{"k":"known"}'],
    result: ['{"k":"a","n":1}', '{"k":"b","n":2}'],
  },
  {
    what: 'dedupe keeps the last',
    processors: `- dedupe:\n    cache: store\n    key: \${! this.k }\n    strategy: LIFO`,
    given: ['{"k":"a","n":1}', '{"k":"b","n":2}', '{"k":"a","n":3}'],
    result: ['{"k":"b","n":2}', '{"k":"a","n":3}'],
  },
  {
    what: 'dedupe drops while the cache is down',
    processors: '- dedupe:\n    cache: files\n    key: x',
    given: ['a'],
    result: [],
  },
  {
    what: 'dedupe lets messages pass while the cache is down, if told to',
    processors: '- dedupe:\n    cache: files\n    key: x\n    drop_on_err: false',
    given: ['a'],
    result: [`a ! ENOENT: no such file or directory, open '/nowhere/at/all/x'`],
  },
  {
    what: 'dedupe with a key that fails keeps the message',
    processors: `- dedupe:\n    cache: store\n    key: \${! this.k.uppercase() }`,
    given: ['{}'],
    result: [
      '{} ! key interpolation error: failed assignment (line 1): expected string value, got null from field `this.k`',
    ],
  },
  {
    what: 'cached applies processors once for a key',
    processors: `- cached:
    cache: store
    key: \${! this.k }
    processors:
    - mapping: root = "%v %v".format(this.k, count("cached once"))`,
    given: ['{"k":"p"}', '{"k":"q"}', '{"k":"p"}'],
    result: ['p 1', 'q 2', 'p 1'],
  },
  {
    what: 'cached does not keep what it is told to skip',
    processors: `- cached:
    cache: store
    key: fixed
    skip_on: errored()
    processors:
    - mapping: root = if count("cached skipped") == 1 { throw("no") } else { count("cached results") }`,
    given: ['a', 'b', 'c'],
    result: ['a ! failed assignment (line 1): no', '1', '1'],
  },
  {
    what: 'cached refuses what others have written',
    processors: '- cached:\n    cache: store\n    key: known\n    processors: []',
    given: ['a'],
    result: ['a ! the cache has an entry that `cached` did not write: it is too short'],
  },
];

for (const { what, processors, given = ['{"k":"a"}', '{"k":"b"}'], result } of cases)
  test(what, async () => {
    assert.deepEqual(shown(await processed(processors, given, { resources: caches })).flat(), result);
  });

test('entries of cached are those of Bento', () => {
  const entry = entryOf([Message.of('foo'), Message.of('')]);
  assert.equal(entry.toString('hex'), '000000010000000200000003666f6f00000000');
  assert.deepEqual(contentsOf(entry).map(String), ['foo', '']);
  for (const length of [0, 7, 8, 11, 14, 18])
    assert.throws(() => contentsOf(entry.subarray(0, length)), /did not write/);
});

function withClock(): { clock: HandClock; services: PipelineServices } {
  const clock = new HandClock();
  return {
    clock,
    services: { ...testServices(), clock, random: { ...testServices().random, next: () => 0.5 } },
  };
}

const retries = (fields: string, mapping: string) => `- retry:
    ${fields}
    processors:
    - mapping: ${JSON.stringify(mapping)}`;

const attempts = 'root = if count(this.id) < 3 { throw("no") } else { [errored(), content().string()] }';

test('retry starts from the message as it came, and says how often', async () => {
  const { clock, services } = withClock();
  const open = await OpenProcessors.open(retries('parallel: false', attempts), { services });
  const [batch] = await clock.until(open.process({ content: '{"id":"r1"}', error: 'before' }, '{"id":"r2"}'));
  assert.deepEqual(shown([batch!]), [['[false,"{\\"id\\":\\"r1\\"}"]', '[false,"{\\"id\\":\\"r2\\"}"]']]);
  assert.deepEqual(
    batch!.map(({ metadata }) => [...metadata]),
    Array(2).fill([
      ['retry_count', 2],
      ['backoff_duration', 1_250_000_000],
    ]),
  );
  assert.equal(clock.monotonicMs(), 2_500);
});

test('retry gives up after max_retries, and after max_elapsed_time', async () => {
  const { clock, services } = withClock();
  for (const [fields, count] of [
    ['max_retries: 4', 4],
    ['backoff: {initial_interval: 1s, max_interval: 1s, max_elapsed_time: 5s}', 6],
  ] as const) {
    const open = await OpenProcessors.open(retries(fields, 'root = throw("no")'), { services });
    const [batch] = await clock.until(open.process('{}'));
    assert.deepEqual(shown([batch!]), [['{} ! failed assignment (line 1): no']]);
    assert.equal(batch![0]!.metadata.get('retry_count'), count);
  }
});

test('retry works on messages at the same time if told to', async () => {
  const { clock, services } = withClock();
  const open = await OpenProcessors.open(retries('parallel: true', attempts), { services });
  await clock.until(open.process('{"id":"p1"}', '{"id":"p2"}'));
  assert.equal(clock.monotonicMs(), 1_250);
});

test('what waits gives up at the end', async () => {
  const resources =
    'rate_limit_resources:\n  - label: slow\n    local:\n      count: 1\n      interval: 1h\n';
  for (const [processors, reason] of [
    ['- sleep:\n    duration: 1h', /ended during a sleep/],
    ['- rate_limit:\n    resource: slow', /ended before the rate limit/],
    [retries('max_retries: 5', 'root = throw("no")'), /ended before another attempt/],
    ['- while:\n    check: "true"\n    processors: []', /ended in a loop/],
  ] as const) {
    const open = await OpenProcessors.open(processors, { resources });
    const batches = open.process('a', 'b');
    open.abort();
    assert.match(
      shown(await batches)
        .flat()
        .join(),
      reason,
    );
  }
});

test('sleep waits for each message, and not for what is no duration', async () => {
  const { clock, services } = withClock();
  const open = await OpenProcessors.open(`- sleep:\n    duration: \${! this.wait }`, { services });
  const batches = await clock.until(open.process('{"wait":"2s"}', '{"wait":"long"}', '{"wait":"500ms"}'));
  assert.equal(batches[0]!.length, 3);
  assert.equal(clock.monotonicMs(), 2_500);
});

const limits: readonly [fields: string, given: readonly string[], tookMs: number][] = [
  ['count: 2', ['a', 'b', 'c', 'd', 'e'], 2_000],
  ['count: 2\n      interval: 10s', ['a', 'b', 'c'], 10_000],
  ['count: 0\n      byte_size: 4', ['aa', 'bb', 'c', 'dddd'], 2_000],
  ['count: 0\n      byte_size: 4', ['larger than the limit', 'b'], 1_000],
  ['count: 1\n      byte_size: 1000', ['a', 'b'], 1_000],
];

for (const [fields, given, tookMs] of limits)
  test(`rate_limit ${fields.replaceAll(/\s+/g, ' ')}: ${given}`, async () => {
    const { clock, services } = withClock();
    const resources = `rate_limit_resources:\n  - label: slow\n    local:\n      ${fields}\n`;
    const open = await OpenProcessors.open('- rate_limit:\n    resource: slow', { resources, services });
    const batches = await clock.until(open.process(...given));
    assert.deepEqual(shown(batches), [given]);
    assert.equal(clock.monotonicMs(), tookMs);
  });

test('log writes a line for each message', async () => {
  const lines: [string, string, LogFields | undefined][] = [];
  const log: Log = {
    debug: (message, fields) => lines.push(['debug', message, fields]),
    info: (message, fields) => lines.push(['info', message, fields]),
    warn: (message, fields) => lines.push(['warn', message, fields]),
    error: (message, fields) => lines.push(['error', message, fields]),
    with: () => log,
  };
  const services = { ...testServices(), log };
  const processors = `- log:
    level: WARN
    message: got \${! this.id }
    fields_mapping: |
      root.b = this.id
      root.a = {"x":1}
- log:
    message: \${! this.id.uppercase() }
- log:
    level: TRACE
    message: ${'x'.repeat(9_000)}`;
  assert.deepEqual(shown(await processed(processors, ['{"id":1}'], { services })), [['{"id":1}']]);
  assert.deepEqual(lines[0], ['warn', 'logged by the pipeline', { a: '{"x":1}', b: 1, text: 'got 1' }]);
  assert.deepEqual(lines[1]!.slice(0, 2), ['error', 'failed to log a message']);
  assert.equal(String(lines[2]![2]!.text).length, 8_192);
});

test('metric counts messages and values', async () => {
  const counted: unknown[] = [];
  const services = {
    ...testServices(),
    metrics: { ...testServices().metrics, custom: (...args: unknown[]) => counted.push(args) },
  };
  const processors = `- metric:
    type: counter
    name: messages
    labels:
      z: fixed
      kind: \${! this.kind }
- metric:
    type: gauge
    name: size
    value: \${! this.size }
- metric:
    type: timing
    name: took
    value: \${! this.size }`;
  const given = ['{"kind":"a","size":1.5}', '{"kind":"b","size":-1}'];
  assert.deepEqual(shown(await processed(processors, given, { services })), [given]);
  assert.deepEqual(counted, [
    ['counter', 'messages', { kind: 'a', z: 'fixed' }, 1],
    ['counter', 'messages', { kind: 'b', z: 'fixed' }, 1],
    ['gauge', 'size', {}, 1.5],
  ]);
});

test('metric has a limit of labels', async () => {
  let count = 0;
  const services = {
    ...testServices(),
    metrics: { ...testServices().metrics, custom: () => count++ },
  };
  const given = Array.from({ length: 1_200 }, (_, index) => String(index));
  const processors = `- metric:\n    type: counter\n    name: x\n    labels:\n      id: \${! content() }`;
  await processed(processors, given, { services });
  assert.equal(count, 1_000);
});
