import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ErrorName, zeroUuid } from '@weir/wire';
import { answered, startTestAgent } from '../../testing/test-agent-server.ts';
import { codeOf } from '../../testing/test-client.ts';

test('topics are deleted by name in every version', async () => {
  for (const version of [1, 2, 3, 4, 5, 6]) {
    const { call, cluster, view } = await startTestAgent();
    cluster.addTopic('a');
    const request =
      version >= 6
        ? {
            topics: [
              { name: 'a', topicId: zeroUuid },
              { name: 'b', topicId: zeroUuid },
            ],
            timeoutMs: 1,
          }
        : { topicNames: ['a', 'b'], timeoutMs: 1 };
    const { responses } = answered(await call('DeleteTopics', version, request as never));
    assert.deepEqual(
      responses.map(({ name, errorCode }) => [name, errorCode]),
      [
        ['a', 0],
        ['b', codeOf('UNKNOWN_TOPIC_OR_PARTITION')],
      ],
    );
    assert.equal(view.topicByName('a'), undefined);
  }
});

test('names, ids and their errors', async () => {
  const { call, cluster } = await startTestAgent();
  const { topicId } = cluster.addTopic('by-id');
  cluster.addTopic('protected', 1, { 'service.deletion.protection.enabled': 'true' });
  const twice = cluster.addTopic('twice');
  const otherId = Buffer.alloc(16, 1).toString('base64url');
  const cases: [topic: { name: string | null; topicId: string }, error: ErrorName, name: string | null][] = [
    [{ name: null, topicId }, 'NONE', 'by-id'],
    [{ name: null, topicId: otherId }, 'UNKNOWN_TOPIC_ID', null],
    [{ name: null, topicId: zeroUuid }, 'INVALID_REQUEST', null],
    [{ name: 'both', topicId: Buffer.alloc(16, 2).toString('base64url') }, 'INVALID_REQUEST', 'both'],
    [{ name: 'protected', topicId: zeroUuid }, 'TOPIC_DELETION_DISABLED', 'protected'],
    [{ name: 'twice', topicId: zeroUuid }, 'INVALID_REQUEST', 'twice'],
    [{ name: null, topicId: twice.topicId }, 'INVALID_REQUEST', 'twice'],
  ];
  const request = { topics: cases.map(([topic]) => topic), timeoutMs: 1 };
  const { responses } = answered(await call('DeleteTopics', 6, request));
  for (const [index, [topic, error, name]] of cases.entries()) {
    assert.deepEqual(
      [responses[index]!.errorCode, responses[index]!.name],
      [codeOf(error), name],
      JSON.stringify(topic),
    );
  }
});

test('the answer has the id of what was deleted, and a repeated name once', async () => {
  const { call, cluster } = await startTestAgent();
  const { topicId } = cluster.addTopic('a');
  cluster.addTopic('b');
  for (const version of [5, 6]) {
    const names = version === 5 ? ['b', 'b'] : ['a', 'b', 'b'];
    const request =
      version === 5 ? { topicNames: names } : { topics: names.map((name) => ({ name, topicId: zeroUuid })) };
    const { responses } = answered(
      await call('DeleteTopics', version, { ...request, timeoutMs: 1 } as never),
    );
    const twice = ['b', zeroUuid, codeOf('INVALID_REQUEST')];
    assert.deepEqual(
      responses.map((response) => [response.name, response.topicId, response.errorCode]),
      version === 5 ? [twice] : [['a', topicId, 0], twice],
    );
  }
});

test('NOT_CONTROLLER if the control plane is unavailable', async () => {
  const { call, cluster } = await startTestAgent();
  cluster.unavailable = true;
  const { responses } = answered(await call('DeleteTopics', 5, { topicNames: ['a'], timeoutMs: 1 }));
  assert.equal(responses[0]!.errorCode, codeOf('NOT_CONTROLLER'));
});
