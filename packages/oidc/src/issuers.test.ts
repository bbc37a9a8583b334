import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { TestIssuer } from '../testing/test-issuer.ts';
import { Issuers } from './issuers.ts';
import { oidcLimits } from './limits.ts';

async function stage() {
  const clock = new HandClock();
  const nowMs = () => clock.nowMs();
  const [one, two] = [
    await TestIssuer.create('https://one.example/realm', nowMs),
    await TestIssuer.create('https://two.example/realm', nowMs),
  ];
  const stops: AbortSignal[] = [];
  const issuers = new Issuers({
    purpose: 'this test',
    allowsLoopbackHttp: false,
    clock,
    log: silentLog,
    fetchJson(url, stop) {
      stops.push(stop);
      return (url.startsWith(one.url) ? one : two).fetchJson(url, stop);
    },
  });
  return { issuers, one, two, stops };
}

test('the keys of each issuer are fetched once', async () => {
  const { issuers, one, two } = await stage();
  for (const { url } of [one, two, one, two]) assert.equal((await issuers.of(url).keys()).issuer, url);
  assert.deepEqual([one.asked.length, two.asked.length], [2, 2]);
});

test('an issuer that is no longer named is removed, and its pending requests are aborted', async () => {
  const { issuers, one, two, stops } = await stage();
  const [retainedIssuer, goneIssuer] = [issuers.of(one.url), issuers.of(two.url)];
  await Promise.all([retainedIssuer.keys(), goneIssuer.keys()]);
  issuers.keepOnly(new Set([one.url, 'https://three.example']));
  assert.equal(issuers.of(one.url), retainedIssuer);
  assert.notEqual(issuers.of(two.url), goneIssuer);
  await issuers.of(two.url).keys();
  assert.deepEqual([one.asked.length, two.asked.length], [2, 4]);
  assert.deepEqual(new Set(stops.map(({ aborted }) => aborted)), new Set([false, true]));
  issuers.close();
  assert.ok(stops.every(({ aborted }) => aborted));
});

test('the number of issuers is bounded: the least recently used one is removed', async () => {
  const { issuers, one, two } = await stage();
  const [retained, gone] = [issuers.of(one.url), issuers.of(two.url)];
  for (let number = 2; number < oidcLimits.rememberedIssuersMax; number++)
    issuers.of(`https://${number}.example`);
  assert.equal(issuers.of(one.url), retained);
  issuers.of('https://one-more.example');
  assert.equal(issuers.of(one.url), retained);
  assert.notEqual(issuers.of(two.url), gone);
  issuers.close();
});
