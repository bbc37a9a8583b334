import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '@weir/core/testing';
import type { ReceivedRequest, RequestServer } from '../requests/request-server.ts';
import { heldUntil } from './held-server.ts';

function stage() {
  const known = Promise.withResolvers<void>();
  const served: number[] = [];
  const inner = {
    serve: ({ correlationId }: ReceivedRequest) => {
      served.push(correlationId);
      return { answer: correlationId };
    },
  } as unknown as RequestServer;
  const server = heldUntil(known.promise, inner);
  const request = (correlationId: number) => server.serve({ correlationId } as ReceivedRequest);
  return { known, served, request };
}

test('requests wait until the agent is registered, and then continue in order', async () => {
  const { known, served, request } = stage();
  const answers = [request(1), request(2)];
  await settle();
  assert.deepEqual(served, []);
  known.resolve();
  assert.deepEqual(await Promise.all(answers), [{ answer: 1 }, { answer: 2 }]);
  assert.deepEqual(served, [1, 2]);
  assert.deepEqual(request(3), { answer: 3 }, 'at once');
});

test('if the agent cannot be registered, connections are closed and clients go elsewhere', async () => {
  const { known, served, request } = stage();
  const answer = request(1);
  known.reject(new Error('no control plane'));
  assert.equal(await answer, 'close');
  assert.deepEqual(served, []);
});
