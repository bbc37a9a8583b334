import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import { Addresses } from './addresses.ts';

const [a, b, c] = ['https://a/', 'https://b/', 'https://c/'] as const;

test('addresses are tried in turn, and those that did not respond are passed over for a while', async () => {
  const clock = new HandClock();
  const addresses = new Addresses([a, b, c], clock);
  const next = () => {
    const rounds = addresses.failed();
    return [addresses.current, rounds];
  };
  assert.deepEqual(
    [next(), next(), next()],
    [
      [b, 0],
      [c, 0],
      [a, 1],
    ],
  );
  addresses.notReached();
  assert.deepEqual(
    [next(), next(), next()],
    [
      [b, 1],
      [c, 1],
      [b, 2],
    ],
    'a does not respond',
  );
  addresses.notReached();
  assert.deepEqual(next(), [c, 2]);
  assert.deepEqual(next(), [a, 2], 'all others are in doubt');
  addresses.reached();
  assert.deepEqual(
    [next(), next()],
    [
      [c, 3],
      [a, 3],
    ],
    'only b is in doubt',
  );
  await clock.pass(10_000);
  assert.deepEqual(next(), [b, 3]);
});

test('addresses have the regions that processes reported last', () => {
  const addresses = new Addresses([a], new HandClock());
  assert.deepEqual([addresses.regionOf(a), addresses.regions], [undefined, []]);
  addresses.learn(['https://a', 'https://b', 'http://unsafe', 'https://c'], ['east', 'west', 'north', '']);
  const known = () => [a, b, c].map((address) => addresses.regionOf(address));
  assert.deepEqual(known(), ['east', 'west', undefined]);
  assert.deepEqual(addresses.regions, ['east', 'west']);
  addresses.learn([a, b, c]);
  addresses.learn([a, b, c], ['east']);
  assert.deepEqual(known(), ['east', 'west', undefined], 'an earlier release reports none');
  addresses.learn([a, c], ['west', 'west']);
  assert.deepEqual(known(), ['west', undefined, 'west']);
});

test('in order of preference, the first address that has not failed since the last success is next', async () => {
  const clock = new HandClock();
  const addresses = new Addresses([a], clock, { areOrdered: true });
  addresses.learn([b, c, a]);
  assert.deepEqual(addresses.all, [b, c, a]);
  const next = () => {
    addresses.failed();
    return addresses.current;
  };
  assert.deepEqual([next(), next(), next(), next()], [b, c, b, a], 'each has its turn');
  addresses.worked();
  assert.equal(next(), b, 'not the one behind the last');
  addresses.worked();
  addresses.notReached();
  assert.equal(next(), c);
  addresses.worked();
  assert.ok(addresses.follow(a));
  assert.equal(next(), c, 'b does not respond');
  await clock.pass(10_000);
  addresses.worked();
  assert.equal(next(), b);
});

test('a single address stays', () => {
  const addresses = new Addresses([a], new HandClock());
  addresses.notReached();
  assert.deepEqual([addresses.failed(), addresses.current], [1, a]);
});
