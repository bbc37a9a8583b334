import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterUnavailable } from '@weir/cluster';
import type { ErrorName } from '@weir/wire';
import { answered, startTestAgent } from '../../testing/test-agent-server.ts';
import { codeOf } from '../../testing/test-client.ts';
import { ProducerIds } from '../cluster-calls/producer-ids.ts';

test('every version returns new ids, from a block that takes one call', async () => {
  const { call, cluster } = await startTestAgent();
  const seen = new Set<bigint>();
  for (const version of [0, 1, 2, 3, 4, 5]) {
    const request = { transactionalId: null, transactionTimeoutMs: 0 };
    const answer = answered(await call('InitProducerId', version, request));
    assert.deepEqual([answer.errorCode, answer.producerEpoch], [0, 0]);
    seen.add(answer.producerId);
  }
  assert.equal(seen.size, 6);
  assert.equal(cluster.calls.allocateProducerIds, 1);
});

test('invalid requests are refused', async () => {
  const { call, cluster } = await startTestAgent();
  const cases: [
    transactionalId: string | null,
    producerId: bigint,
    producerEpoch: number,
    error: ErrorName,
  ][] = [
    ['', -1n, -1, 'INVALID_REQUEST'],
    [null, 5n, -1, 'INVALID_REQUEST'],
    [null, -1n, 3, 'INVALID_REQUEST'],
    [null, 5n, 3, 'NONE'],
    ['tx', 5n, -1, 'INVALID_REQUEST'],
  ];
  for (const [transactionalId, producerId, producerEpoch, error] of cases) {
    const request = { transactionalId, transactionTimeoutMs: 1000, producerId, producerEpoch };
    const { errorCode } = answered(await call('InitProducerId', 5, request));
    assert.equal(errorCode, codeOf(error));
  }
  cluster.unavailable = true;
  const fresh = await startTestAgent();
  fresh.cluster.unavailable = true;
  const request = { transactionalId: null, transactionTimeoutMs: 0 };
  const { errorCode } = answered(await fresh.call('InitProducerId', 5, request));
  assert.equal(errorCode, codeOf('COORDINATOR_LOAD_IN_PROGRESS'));
});

test('callers share a block, allocate another when it is used up, and recover from a failure', async () => {
  let first = 0;
  let fail = false;
  const port = {
    async allocateProducerIds(count: number) {
      if (fail) throw new ClusterUnavailable('no leader');
      first += 100;
      return first + count - count;
    },
  };
  const ids = new ProducerIds(port, 3);
  const taken = await Promise.all(Array.from({ length: 7 }, () => ids.next()));
  assert.deepEqual(
    taken.sort((a, b) => a - b),
    [100, 101, 102, 200, 201, 202, 300],
  );
  fail = true;
  assert.deepEqual([await ids.next(), await ids.next()], [301, 302]);
  await assert.rejects(ids.next(), ClusterUnavailable);
  fail = false;
  assert.equal(await ids.next(), 400);
});
