import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type NamedBucketReport, namedBucketDigest, type SeenAgent } from '@weir/cluster';
import { HandClock } from '@weir/core/testing';
import { openTestClusterApi } from '../../../testing/test-cluster-api.ts';
import { awaitedBucketStatus, bucketStatusOf } from './bucket-status.ts';

const url = 's3://orders?region=eu-central-1';
const digest = namedBucketDigest(url);
const agent = (agentId: string, namedBucket?: NamedBucketReport) =>
  ({ agentId, host: `${agentId}.example`, kafkaPort: 9092, namedBucket }) as SeenAgent;
const user = agent('user', { digest });
const refusing = agent('refusing', { digest, problem: 's3: orders is not allowed' });
const silent = agent('silent');
const late = agent('late', { digest: namedBucketDigest('s3://before'), problem: 'of the bucket before' });

test('a bucket is in use when all agents say so, and refused when one does', () => {
  // biome-ignore format: a table
  const cases: readonly [agents: SeenAgent[], state: string, listed: string[]][] = [
    [[user],                           'in_use',  []],
    [[],                               'pending', []],
    [[user, silent],                   'pending', ['silent pending']],
    [[user, late],                     'pending', ['late pending']],
    [[user, refusing],                 'refused', ['refusing refused']],
    [[silent, refusing],               'refused', ['silent pending', 'refusing refused']],
  ];
  for (const [agents, state, listed] of cases) {
    const found = bucketStatusOf(agents, url);
    assert.equal(found.state, state);
    assert.deepEqual(
      found.agents.map((one) => `${one.agent_id} ${one.state}`),
      listed,
    );
  }
  assert.equal(bucketStatusOf([refusing], url).agents[0]!.reason, 's3: orders is not allowed');
});

test('a change waits for agents that have not tried the bucket, and not for ever', async () => {
  const clock = new HandClock();
  let agents = [user, silent];
  const port = { listAgents: async () => agents };
  const answered = awaitedBucketStatus(port, url, { clock });
  await clock.pass(1_000);
  agents = [user, agent('silent', { digest, problem: 'denied' })];
  await clock.pass(1_000);
  assert.equal((await answered).state, 'refused');
  agents = [silent];
  const given = awaitedBucketStatus(port, url, { clock });
  await clock.pass(6_000);
  assert.equal((await given).state, 'pending');
  assert.equal(clock.waiting, 0);
});

test('the API does not claim that agents use a bucket that they refuse', async (t) => {
  const testApi = await openTestClusterApi(t);
  const { node } = testApi;
  const heartbeat = (bucketProblem: string | undefined) =>
    node.heartbeat({
      agentId: 'a',
      nodeId: 1,
      host: 'a.example',
      kafkaPort: 9092,
      internalUrl: 'http://a.example',
      zone: '',
      group: '',
      roles: ['proxy'],
      release: 'v1',
      cpuCount: 1,
      cpuLoad: 0,
      report: {
        startedMs: 1,
        number: 1,
        sinceNumber: 0,
        spanMs: 0,
        nowMs: 1,
        namedBucket: digest,
        ...(bucketProblem === undefined ? {} : { bucketProblem }),
      },
    });
  await heartbeat('not in -allowedBucketURLs');
  const change = { virtual_cluster_configuration: { bucket_url: url } };
  const { bucket_status: status } = await testApi.call('update_virtual_cluster_configuration', change);
  assert.deepEqual(status, {
    state: 'refused',
    agents: [{ agent_id: 'a', host: 'a.example', state: 'refused', reason: 'not in -allowedBucketURLs' }],
    agents_left_out: 0,
  });
  const described = await testApi.call('describe_virtual_cluster_configuration', {});
  assert.equal(described.bucket_status?.state, 'refused');
  await heartbeat(undefined);
  assert.equal(
    (await testApi.call('describe_virtual_cluster_configuration', {})).bucket_status?.state,
    'in_use',
  );
});
