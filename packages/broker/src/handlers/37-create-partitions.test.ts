import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorName } from '@weir/wire';
import { answered, startTestAgent } from '../../testing/test-agent-server.ts';
import { codeOf } from '../../testing/test-client.ts';

test('partitions are added, and never removed', async () => {
  const two = [{ brokerIds: [1] }, { brokerIds: [1] }];
  // topic, new total, assignments, error, resulting total; every topic begins with 2
  const cases: [string, number, typeof two | null, ErrorName, number | undefined][] = [
    ['grown', 5, null, 'NONE', 5],
    ['same', 2, null, 'INVALID_PARTITIONS', 2],
    ['fewer', 1, null, 'INVALID_PARTITIONS', 2],
    ['zero', 0, null, 'INVALID_PARTITIONS', 2],
    ['huge', 2_000_000_000, null, 'INVALID_PARTITIONS', 2],
    ['assigned', 4, two, 'NONE', 4],
    ['misassigned', 5, two, 'INVALID_REPLICA_ASSIGNMENT', 2],
    ['missing', 5, null, 'UNKNOWN_TOPIC_OR_PARTITION', undefined],
  ];
  for (const version of [0, 1, 2, 3]) {
    const { call, cluster, view } = await startTestAgent();
    for (const [name] of cases) if (name !== 'missing') cluster.addTopic(name, 2);
    const topics = cases.map(([name, count, assignments]) => ({ name, count, assignments }));
    const request = { topics, timeoutMs: 1, validateOnly: false };
    const { results } = answered(await call('CreatePartitions', version, request));
    for (const [index, [name, , , error, total]] of cases.entries()) {
      assert.deepEqual([results[index]!.name, results[index]!.errorCode], [name, codeOf(error)], name);
      assert.equal(view.topicByName(name)?.partitionCount, total, name);
    }
  }
});

test('a repeated topic, validateOnly, and an unavailable control plane', async () => {
  const { call, cluster, view } = await startTestAgent();
  cluster.addTopic('t', 1);
  const grow = { name: 't', count: 3, assignments: null };
  const request = { topics: [grow, grow], timeoutMs: 1, validateOnly: false };
  const twice = answered(await call('CreatePartitions', 3, request));
  assert.deepEqual(
    twice.results.map(({ errorCode }) => errorCode),
    [codeOf('INVALID_REQUEST')],
  );
  const validated = answered(
    await call('CreatePartitions', 3, { topics: [grow], timeoutMs: 1, validateOnly: true }),
  );
  assert.equal(validated.results[0]!.errorCode, 0);
  assert.equal(view.topicByName('t')?.partitionCount, 1);
  cluster.unavailable = true;
  const unreachable = answered(
    await call('CreatePartitions', 3, { topics: [grow], timeoutMs: 1, validateOnly: false }),
  );
  assert.equal(unreachable.results[0]!.errorCode, codeOf('NOT_CONTROLLER'));
});
