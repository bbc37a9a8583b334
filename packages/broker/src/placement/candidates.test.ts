import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAgent } from '../../testing/agent.ts';
import { candidatesFor } from './candidates.ts';
import type { ClientFeatures } from './client-features.ts';

const self = testAgent('self', { zone: 'a' });
const inB = testAgent('in-b', { zone: 'b' });
const writer = testAgent('writer', { zone: 'b', roles: ['proxy-produce'] });
const reader = testAgent('reader', { zone: 'c', roles: ['proxy-consume', 'jobs'] });
const worker = testAgent('worker', { zone: 'a', roles: ['jobs'] });
const blue = testAgent('blue', { zone: 'a', group: 'blue' });
const east = testAgent('east', { zone: 'east-1', region: 'east' });
const alsoEast = testAgent('also-east', { zone: 'east-2', region: 'east' });
const eastwards = testAgent('eastwards', { zone: 'east2-1', region: 'east2' });
const west = testAgent('west', { zone: 'west-1', region: 'west' });
const westWriter = testAgent('west-writer', { zone: 'west-1', region: 'west', roles: ['proxy-produce'] });

test('candidates of a client whose zone has none are in the region of the zone', () => {
  const all = [east, alsoEast, eastwards, west, westWriter];
  const cases: [ClientFeatures, liveAgents: typeof all, seen: typeof all][] = [
    [{}, all, [east, alsoEast, eastwards, west]],
    [{ zone: 'east-2' }, all, [alsoEast]],
    [{ zone: 'east-3' }, all, [east, alsoEast]],
    [{ zone: 'east2-3' }, all, [eastwards]],
    [{ zone: 'south-1' }, all, [east, alsoEast, eastwards, west]],
    [{ zone: 'east-1' }, [west, westWriter], [west]],
    // The purpose has precedence.
    [{ proxyTarget: 'proxy-produce', zone: 'west-9' }, all, [west, westWriter]],
    [{ proxyTarget: 'proxy-produce', zone: 'east-9' }, [westWriter], [westWriter]],
  ];
  for (const [features, liveAgents, seen] of cases) {
    // Whichever agent answers.
    for (const asked of [east, west])
      assert.deepEqual(candidatesFor(features, asked, liveAgents), seen, JSON.stringify(features));
  }
});

test('candidates by group, purpose and zone', () => {
  const all = [self, inB, writer, reader, worker, blue];
  const cases: [ClientFeatures, liveAgents: typeof all, seen: typeof all][] = [
    [{}, all, [self, inB]],
    [{ zone: 'b' }, all, [inB]],
    [{ zone: 'z' }, all, [self, inB]],
    [{ proxyTarget: 'proxy-produce' }, all, [self, inB, writer]],
    [{ proxyTarget: 'proxy-consume', zone: 'c' }, all, [reader]],
    // All agents for the purpose are in another zone: the purpose has precedence.
    [{ proxyTarget: 'proxy-consume', zone: 'b' }, [writer, reader], [reader]],
    [{}, [writer, reader], [writer, reader]],
    [{}, [worker, blue], [self]],
    [{}, [], [self]],
  ];
  for (const [features, liveAgents, seen] of cases) {
    assert.deepEqual(candidatesFor(features, self, liveAgents), seen, JSON.stringify(features));
  }
});
