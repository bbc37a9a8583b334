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
