import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coreLimits } from '@weir/core';
import fc from 'fast-check';
import { agentLimits } from '../limits.ts';
import { ClientTimeouts, usualTimeoutMs } from './client-timeouts.ts';

test('the shortest timeout of each client is reported, with its number of requests', () => {
  const clients = new ClientTimeouts();
  for (const timeoutMs of [3_000, 1_000, 2_000]) clients.note('shop', timeoutMs);
  clients.note('bank', 500);
  assert.deepEqual(clients.report(), [
    { clientId: 'bank', timeoutMs: 500, requestCount: 1 },
    { clientId: 'shop', timeoutMs: 1_000, requestCount: 3 },
  ]);
});

test('clients with the usual timeout are not stored', () => {
  const clients = new ClientTimeouts();
  clients.note('shop', usualTimeoutMs);
  clients.note('bank', usualTimeoutMs - 1);
  assert.deepEqual(
    clients.report().map(({ clientId }) => clientId),
    ['bank'],
  );
});

test('of many clients, those with the shortest timeouts are reported', () => {
  const timeouts = fc.array(fc.integer({ min: 0, max: usualTimeoutMs - 1 }), {
    minLength: agentLimits.notedClientsMax,
    maxLength: 3 * agentLimits.notedClientsMax,
  });
  fc.assert(
    fc.property(timeouts, (all) => {
      const clients = new ClientTimeouts();
      for (const [index, timeoutMs] of all.entries()) clients.note(`c${index}`, timeoutMs);
      const shortest = [...all].sort((a, b) => a - b).slice(0, coreLimits.reportedClientsMax);
      assert.deepEqual(
        clients.report().map(({ timeoutMs }) => timeoutMs),
        shortest,
      );
    }),
    { numRuns: 30 },
  );
});
