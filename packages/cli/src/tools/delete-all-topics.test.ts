import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeKafka, type FakeKafkaOptions } from '@weir/client/testing';
import { errors } from '@weir/wire';
import { type RunOptions, runLine } from '../../testing/command-run.ts';

async function cluster(t: TestContext, options: FakeKafkaOptions) {
  const fake = await FakeKafka.start(options);
  t.after(() => fake.stop());
  const at = `-bootstrap-host 127.0.0.1 -bootstrap-port ${fake.port()} -sleep-between-batch 1ms`;
  const weir = (flags: string, run?: RunOptions) =>
    runLine(`cli delete-all-topics-unsafe ${flags} ${at}`, run);
  return { fake, weir };
}

test('nothing is deleted without a confirmation', async (t) => {
  const { fake, weir } = await cluster(t, { topics: { a: 1 } });
  for (const flags of ['', '-confirm-delete-all-topics=false']) {
    const { status, err } = await weir(flags);
    assert.equal(status, 2);
    assert.match(err, /-confirm-delete-all-topics is required\n$/);
  }
  assert.equal(fake.requests.length, 0);
});

test('topics are deleted in batches', async (t) => {
  const { fake, weir } = await cluster(t, { topics: { c: 1, a: 1, b: 1 } });
  assert.deepEqual(await weir('-confirm-delete-all-topics -batch-size 2'), {
    status: 0,
    out: 'deleted topic a\ndeleted topic b\ndeleted topic c\ndeleted 3 topics\n',
    err: '',
  });
  assert.equal(fake.count('DeleteTopics'), 2);
  assert.equal(fake.topics.size, 0);
});

test('a topic that cannot be deleted does not prevent the others', async (t) => {
  const { fake, weir } = await cluster(t, {
    topics: { a: 1, b: 1, c: 1 },
    script: {
      DeleteTopics: ({ topics }, { earlier }) => ({
        throttleTimeMs: 0,
        responses: topics.map(({ name }) => {
          if (name === 'a') return { name, errorCode: errors.TOPIC_AUTHORIZATION_FAILED.code };
          // The controller has moved; a retry finds the new one.
          if (name === 'b' && earlier === 0) return { name, errorCode: errors.NOT_CONTROLLER.code };
          fake.topics.delete(name!);
          return { name, errorCode: 0 };
        }),
      }),
    },
  });
  assert.deepEqual(await weir('-confirm-delete-all-topics -output json'), {
    status: 1,
    out: '{"topic":"b","deleted":true}\n{"topic":"c","deleted":true}\n',
    err:
      'weir cli delete-all-topics-unsafe: topic a: TOPIC_AUTHORIZATION_FAILED: ' +
      'No permission to do this with the topic.\n',
  });
  assert.deepEqual([...fake.topics.keys()], ['a']);
});

test('internal topics are not deleted', async (t) => {
  const broker = { nodeId: 1, host: '127.0.0.1', rack: null };
  const topic = { errorCode: 0, topicId: Buffer.alloc(16, 1).toString('base64url'), partitions: [] };
  const { fake, weir } = await cluster(t, {
    topics: { a: 1 },
    script: {
      Metadata: ({ topics }) =>
        topics === null
          ? {
              brokers: [{ ...broker, port: fake.port() }],
              controllerId: 1,
              clusterId: 'fake',
              topics: [
                { ...topic, name: '__own', isInternal: true },
                { ...topic, name: 'a' },
              ],
            }
          : undefined,
    },
  });
  assert.equal((await weir('-confirm-delete-all-topics')).out, 'deleted topic a\ndeleted 1 topics\n');
});
