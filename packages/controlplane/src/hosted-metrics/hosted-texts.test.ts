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
  const asked: { readonly clusterId: string; tell(text: string): void; fail(error: Error): void }[] = [];
  const texts = new HostedTexts({
    measure(clusterId) {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      asked.push({ clusterId, tell: resolve, fail: reject });
      return promise;
    },
    cacheMs: 10_000,
    clock,
    ...differences,
  });
  return { clock, asked, texts };
}

test('two concurrent requests, and a third soon after, share one measurement', async () => {
  const { clock, asked, texts } = start();
  const both = [texts.textOf('a'), texts.textOf('a')];
  asked[0]!.tell('first');
  assert.deepEqual(
    (await Promise.all(both)).map(({ plain }) => String(plain)),
    ['first', 'first'],
  );
  clock.advance(9_999);
  const again = await texts.textOf('a');
  assert.equal(String(again.plain), 'first');
  assert.equal(String(gunzipSync(await again.gzipped())), 'first');
  assert.equal(await again.gzipped(), await again.gzipped(), 'compressed once');
  assert.equal(asked.length, 1);
  clock.advance(1);
  assert.equal(texts.cachedBytes, 0);
  const later = texts.textOf('a');
  asked[1]!.tell('second');
  assert.equal(String((await later).plain), 'second');
});

test('a failed measurement rejects all waiting requests and is not cached', async () => {
  const { asked, texts } = start();
  const both = [texts.textOf('a'), texts.textOf('a')].map((one) => assert.rejects(one, /nobody leads/));
  asked[0]!.fail(new Error('nobody leads it'));
  await Promise.all(both);
  const again = texts.textOf('a');
  asked[1]!.tell('text');
  await again;
});

test('few measurements run at a time, some wait, and the rest is refused', async () => {
  const { asked, texts } = start();
  const all = controlPlaneLimits.hostedLooksRunningMax + controlPlaneLimits.hostedLooksWaitingMax;
  const told = Array.from({ length: all }, (_, index) => texts.textOf(`c${index}`));
  await assert.rejects(texts.textOf('one more'), SemaphoreFull);
  assert.equal(asked.length, controlPlaneLimits.hostedLooksRunningMax);
  for (let index = 0; index < all; index++) {
    asked[index]!.tell('text');
    await told[index];
  }
  assert.deepEqual(
    asked.map(({ clusterId }) => clusterId),
    told.map((_, index) => `c${index}`),
  );
});

test('the oldest text is evicted first, and one that is too large is returned but not cached', async () => {
  const { asked, texts } = start({ bytesMax: 300 });
  const tell = async (clusterId: string, bytes: number) => {
    const before = asked.length;
    const told = texts.textOf(clusterId);
    asked[before]?.tell('x'.repeat(bytes));
    return [asked.length - before, (await told).plain.length];
  };
  assert.deepEqual(await tell('a', 100), [1, 100]);
  assert.deepEqual(await tell('b', 100), [1, 100]);
  assert.deepEqual(await tell('a', 0), [0, 100]);
  assert.deepEqual(await tell('c', 100), [1, 100]);
  assert.deepEqual(await tell('b', 0), [0, 100]);
  assert.deepEqual(await tell('large', 201), [1, 201]);
  assert.deepEqual(await tell('large', 201), [1, 201]);
  assert.equal(texts.cachedBytes, 300);
  texts.close();
  assert.equal(texts.cachedBytes, 0);
});
