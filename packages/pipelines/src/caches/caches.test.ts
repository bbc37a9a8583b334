import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import { catalogueWith, testServices } from '../../testing/run-pipeline.ts';
import { configurationOf } from '../../testing/run-processors.ts';
import type { Cache } from '../component/instances.ts';
import { readConfiguration } from '../config/read-configuration.ts';
import { Opening } from '../engine/open-component.ts';
import { pipelineLimits } from '../limits.ts';

/** Opens caches by their labels. */
async function opened(clock: HandClock, resources: Readonly<Record<string, string>>) {
  const yaml = Object.entries(resources).map(([label, config]) => `  - label: ${label}\n    ${config}\n`);
  const all = catalogueWith();
  const { config, problems } = readConfiguration(
    configurationOf('- noop: {}', `cache_resources:\n${yaml.join('')}`),
    { catalogue: all, isLocal: true },
  );
  assert.ok(config, JSON.stringify(problems));
  const opening = new Opening({ ...testServices(), clock }, all, new AbortController().signal);
  for (const resource of config.cache_resources) await opening.openResource(resource);
  return {
    cache: (label: string): Cache => opening.resources.get('cache', label),
    close: () => opening.close(),
  };
}

const text = async (cache: Cache, key: string) => (await cache.get(key))?.toString();

/** Steps: `set a`, `get a`, `add a`, `delete a`, `wait 5s`; those with a result have it after `=`. */
// biome-ignore format: a table
const scripts: readonly [config: string, script: string][] = [
  ['memory: {}',                                        'get a=- set a get a=a add a=no delete a get a=- add a=yes get a=a'],
  ['memory: {default_ttl: 10s}',                        'set a wait 9 get a=a wait 1 get a=- add a=yes'],
  ['memory: {default_ttl: 10s, compaction_interval: ""}', 'set a wait 100 get a=a add a=no'],
  ['memory: {init_values: {i: i}, default_ttl: 1s}',    'wait 100 get i=i add i=no set i wait 2 get i=-'],
  ['memory: {shards: 8}',                               'set a set b get a=a get b=b'],
  ['lru: {cap: 2}',                                     'set a set b get a=a set c get b=- get a=a get c=c'],
  ['lru: {cap: 2}',                                     'set a set b add a=no set c get a=- get b=b'],
  ['lru: {cap: 2, init_values: {i: i}}',                'get i=i set a set b get i=- delete a set c get b=b get c=c'],
  ['lru: {cap: 4, algorithm: two_queues}',              'set a get a=a set b set c set d set e get a=a get b=- get e=e'],
  ['lru: {cap: 4, algorithm: two_queues}',              'set a set b set c set d set e set a get a=a set f set g set h get a=a'],
  ['lru: {cap: 2, algorithm: arc}',                     'set a get a=a set b set c get b=- get a=a get c=c'],
  ['lru: {cap: 2, algorithm: arc}',                     'set a get a=a set b set c set b get b=b delete b get b=- set d get d=d'],
  ['ttlru: {cap: 2}',                                   'set a set b get a=a set c get b=- get a=a'],
  ['ttlru: {default_ttl: 10s}',                         'set a wait 9 get a=a wait 1 get a=- add a=yes wait 9 set a wait 9 get a=a'],
  ['ttlru: {ttl: 1s}',                                  'set a wait 1 get a=-'],
  ['noop: {}',                                          'set a get a=- add a=yes add a=yes delete a'],
];

for (const [config, script] of scripts)
  test(`${config}: ${script}`, async () => {
    const clock = new HandClock();
    const { cache: find, close } = await opened(clock, { c: config });
    const cache = find('c');
    const words = script.split(' ');
    for (let at = 0; at < words.length; at += 2) {
      const [key = '', expected] = words[at + 1]!.split('=');
      const step = `${at / 2}: ${words[at]} ${key}`;
      if (words[at] === 'set') await cache.set(key, Buffer.from(key));
      else if (words[at] === 'delete') await cache.delete(key);
      else if (words[at] === 'wait') clock.advance(Number(key) * 1_000);
      else if (words[at] === 'add') {
        assert.equal(cache.now!.has(key), expected === 'no', step);
        assert.equal((await cache.add(key, Buffer.from(key))) ? 'yes' : 'no', expected, step);
      } else assert.equal((await text(cache, key)) ?? '-', expected, step);
    }
    await close();
  });

test('a value may have a time of its own', async () => {
  const clock = new HandClock();
  const { cache } = await opened(clock, { c: 'memory: {}' });
  await cache('c').set('a', Buffer.from('a'), 1_000);
  clock.advance(1_000);
  assert.equal(await cache('c').get('a'), undefined);
});

test('expired values are removed', async () => {
  const clock = new HandClock();
  const { cache } = await opened(clock, { c: 'memory: {default_ttl: 1s, compaction_interval: 10s}' });
  const large = Buffer.alloc(pipelineLimits.cacheBytesMax / 4);
  for (const key of ['a', 'b', 'c']) await cache('c').set(key, large);
  clock.advance(11_000);
  await cache('c').set('d', large);
  // All four would not have been dropped otherwise: there is room for three at a time.
  for (const key of ['e', 'f']) await cache('c').set(key, large);
  assert.ok(await cache('c').get('d'));
});

for (const config of ['memory: {}', 'lru: {cap: 100}', 'lru: {cap: 100, algorithm: arc}', 'ttlru: {}'])
  test(`${config}: the oldest values go at the limit of bytes, which all caches share`, async () => {
    const { cache: find, close } = await opened(new HandClock(), { c: config, other: 'memory: {}' });
    const cache = find('c');
    const large = Buffer.alloc(pipelineLimits.cacheBytesMax / 4);
    for (const key of ['a', 'b', 'c', 'd', 'e']) await cache.set(key, large);
    assert.deepEqual(
      ['a', 'b', 'c', 'd', 'e'].map((key) => cache.now!.has(key)),
      [false, false, true, true, true],
    );
    await assert.rejects(
      find('other').set('x', large.subarray(1)),
      /the caches of the pipeline hold at most 64MiB/,
    );
    await assert.rejects(cache.set('c', Buffer.alloc(pipelineLimits.cacheBytesMax)), /hold at most/);
    assert.equal(await cache.get('c'), undefined);
    await find('other').set('x', large.subarray(1));
    await assert.rejects(
      cache.set('k'.repeat(pipelineLimits.cacheKeyBytesMax + 1), large),
      /a key of a cache/,
    );
    await close();
  });

test('a cache of many keys forgets the first ones', async () => {
  const { cache } = await opened(new HandClock(), { c: 'memory: {}' });
  const { now } = cache('c');
  const value = Buffer.alloc(0);
  const keyCount = 500_000;
  for (let index = 0; index < keyCount; index++) now!.set(String(index), value);
  assert.ok(!now!.has('0'));
  assert.ok(now!.has(String(keyCount - 1)));
});

test('multilevel reads the first ones first, and fills them', async () => {
  const { cache, close } = await opened(new HandClock(), {
    both: 'multilevel: [fast, slow]',
    fast: 'memory: {}',
    slow: 'memory: {}',
  });
  const both = cache('both');
  await cache('slow').set('a', Buffer.from('slow'));
  assert.equal(await text(both, 'a'), 'slow');
  assert.equal(await text(cache('fast'), 'a'), 'slow');
  await both.set('a', Buffer.from('new'));
  assert.deepEqual([await text(cache('fast'), 'a'), await text(cache('slow'), 'a')], ['new', 'new']);
  assert.equal(await both.add('a', Buffer.from('x')), false);
  await cache('fast').delete('a');
  assert.equal(await both.add('a', Buffer.from('x')), false);
  assert.equal(await both.add('b', Buffer.from('b')), true);
  assert.deepEqual([await text(cache('fast'), 'b'), await text(cache('slow'), 'b')], ['b', 'b']);
  await both.delete('b');
  assert.deepEqual([await both.get('b'), await cache('slow').get('b')], [undefined, undefined]);
  await close();
});

test('file keeps values in a directory, and only there', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'weir-cache-'));
  try {
    const { cache: find } = await opened(new HandClock(), { c: `file: {directory: "${directory}"}` });
    const cache = find('c');
    assert.equal(await cache.get('a'), undefined);
    await cache.set('a', Buffer.from('1'));
    assert.equal(await text(cache, 'a'), '1');
    assert.equal(await cache.add('a', Buffer.from('2')), false);
    assert.equal(await cache.add('b', Buffer.from('2')), true);
    await cache.delete('a');
    await cache.delete('a');
    assert.deepEqual(await readdir(directory), ['b']);
    for (const key of ['../x', '/etc/passwd', '', '.', 'a/../../x'])
      await assert.rejects(cache.get(key), /within its directory/);
  } finally {
    await rm(directory, { recursive: true });
  }
});
