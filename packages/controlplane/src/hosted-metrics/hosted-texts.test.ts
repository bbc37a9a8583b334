import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { SemaphoreFull } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { controlPlaneLimits } from '../limits.ts';
import { HostedTexts, type HostedTextsOptions } from './hosted-texts.ts';

/** Texts whose measurement the test controls. */
function start(differences: Partial<HostedTextsOptions> = {}) {
  const clock = new HandClock();
  const measurements: { readonly clusterId: string; finish(text: string): void; fail(error: Error): void }[] =
    [];
  const texts = new HostedTexts({
    measure(clusterId) {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      measurements.push({ clusterId, finish: resolve, fail: reject });
      return promise;
    },
    cacheMs: 10_000,
    clock,
    ...differences,
  });
  return { clock, measurements, texts };
}

test('two concurrent requests, and a third soon after, share one measurement', async () => {
  const { clock, measurements, texts } = start();
  const both = [texts.textOf('a'), texts.textOf('a')];
  measurements[0]!.finish('first');
  assert.deepEqual(
    (await Promise.all(both)).map(({ plain }) => String(plain)),
    ['first', 'first'],
  );
  clock.advance(9_999);
  const again = await texts.textOf('a');
  assert.equal(String(again.plain), 'first');
  assert.equal(String(gunzipSync(await again.gzipped())), 'first');
  assert.equal(await again.gzipped(), await again.gzipped(), 'compressed once');
  assert.equal(measurements.length, 1);
  clock.advance(1);
  assert.equal(texts.cachedBytes, 0);
  const later = texts.textOf('a');
  measurements[1]!.finish('second');
  assert.equal(String((await later).plain), 'second');
});

test('a failed measurement rejects all waiting requests and is not cached', async () => {
  const { measurements, texts } = start();
  const both = [texts.textOf('a'), texts.textOf('a')].map((one) => assert.rejects(one, /no leader/));
  measurements[0]!.fail(new Error('no leader'));
  await Promise.all(both);
  const again = texts.textOf('a');
  measurements[1]!.finish('text');
  await again;
});

test('few measurements run at a time, some wait, and the rest is refused', async () => {
  const { measurements, texts } = start();
  const all = controlPlaneLimits.hostedLooksRunningMax + controlPlaneLimits.hostedLooksWaitingMax;
  const requests = Array.from({ length: all }, (_, index) => texts.textOf(`c${index}`));
  await assert.rejects(texts.textOf('one more'), SemaphoreFull);
  assert.equal(measurements.length, controlPlaneLimits.hostedLooksRunningMax);
  for (let index = 0; index < all; index++) {
    measurements[index]!.finish('text');
    await requests[index];
  }
  assert.deepEqual(
    measurements.map(({ clusterId }) => clusterId),
    requests.map((_, index) => `c${index}`),
  );
});

test('the oldest text is evicted first, and one that is too large is returned but not cached', async () => {
  const { measurements, texts } = start({ bytesMax: 300 });
  const request = async (clusterId: string, bytes: number) => {
    const before = measurements.length;
    const text = texts.textOf(clusterId);
    measurements[before]?.finish('x'.repeat(bytes));
    return [measurements.length - before, (await text).plain.length];
  };
  assert.deepEqual(await request('a', 100), [1, 100]);
  assert.deepEqual(await request('b', 100), [1, 100]);
  assert.deepEqual(await request('a', 0), [0, 100]);
  assert.deepEqual(await request('c', 100), [1, 100]);
  assert.deepEqual(await request('b', 0), [0, 100]);
  assert.deepEqual(await request('large', 201), [1, 201]);
  assert.deepEqual(await request('large', 201), [1, 201]);
  assert.equal(texts.cachedBytes, 300);
  texts.close();
  assert.equal(texts.cachedBytes, 0);
});
