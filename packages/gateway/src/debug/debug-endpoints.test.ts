import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type AgentUnderTest, startAgentUnderTest } from '@weir/agent/testing';
import { addUser } from '@weir/broker/testing';
import { aclKey } from '@weir/cluster';
import { clusterResourceName, MiB } from '@weir/core';
import { pause } from '@weir/core/testing';
import { TestCluster } from '@weir/metadata/testing';
import { gatewayLimits } from '../limits.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
}

interface Stage extends AgentUnderTest {
  ask(path: string, headers?: Record<string, string>): Promise<Answer>;
}

async function stage(
  t: TestContext,
  differences: Parameters<typeof startAgentUnderTest>[1] = {},
): Promise<Stage> {
  const under = await startAgentUnderTest(t, differences);
  return {
    ...under,
    async ask(path, headers = {}) {
      const answer = answerOf(under, path, headers);
      let isOver = false;
      void answer.finally(() => {
        isOver = true;
      });
      // Nothing else moves the time that a profile takes.
      while (!isOver) {
        under.clock.advance(250);
        await pause(0);
      }
      return await answer;
    },
  };
}

async function answerOf(
  { agent }: AgentUnderTest,
  path: string,
  headers: Record<string, string>,
): Promise<Answer> {
  const sent = request({ host: '127.0.0.1', port: agent.httpPort, path, headers, agent: false }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, bytes: await buffer(response) };
}

const messageOf = ({ bytes }: Answer) => JSON.parse(bytes.toString()).message as string;

test('profiles are gzipped protobuf, or JSON for the developer tools of Chrome', async (t) => {
  const { ask, metric } = await stage(t);
  for (const path of ['/debug/pprof/profile', '/debug/pprof/heap', '/debug/pprof/allocs']) {
    const { status, headers, bytes } = await ask(`${path}?seconds=0.5`);
    assert.equal(status, 200, path);
    assert.equal(headers['content-type'], 'application/vnd.google.protobuf+gzip', path);
    // The first field of the message is a type of values.
    assert.equal(gunzipSync(bytes)[0], 0x0a, path);
  }
  const cpu = await ask('/debug/pprof/profile?seconds=0&format=cpuprofile');
  assert.ok(Array.isArray(JSON.parse(cpu.bytes.toString()).nodes));
  const heap = await ask('/debug/pprof/heap?seconds=0&format=heapprofile');
  assert.equal(JSON.parse(heap.bytes.toString()).head.callFrame.functionName, '(root)');
  const series = 'http_instrumented_middleware_count{operation="debug_profile",outcome="success"}';
  assert.equal(await metric(series), 2);
});

test('a trace has events of Chrome, and the index lists all routes', async (t) => {
  const { ask } = await stage(t);
  const { status, bytes } = await ask('/debug/pprof/trace?seconds=0.1');
  assert.equal(status, 200);
  const { traceEvents } = JSON.parse(bytes.toString()) as { traceEvents: { ph: string; cat: string }[] };
  assert.ok(traceEvents.length > 0);
  for (const { ph, cat } of traceEvents) {
    assert.match(ph, /^[A-Za-z]$/);
    assert.match(
      cat,
      /^(?:v8|node\.perf|node\.threadpoolwork|devtools\.timeline,v8|disabled-by-default-v8|__metadata)/,
    );
  }
  const index = (await ask('/debug/pprof/')).bytes.toString();
  for (const path of ['profile', 'heap', 'allocs', 'trace'])
    assert.match(index, new RegExp(`^/debug/pprof/${path}`, 'm'));
  assert.equal((await ask('/debug/pprof/goroutine')).status, 404);
});

test('a speed test sends as many bytes as were asked for, which do not compress', async (t) => {
  const { ask } = await stage(t);
  for (const [size, expected] of [
    ['?size=0', 0],
    ['?size=1', 1],
    ['?size=3MiB', 3 * MiB],
    ['?size=100001', 100_001],
  ] as const) {
    const { status, bytes } = await ask(`/debug/speedtest/download${size}`);
    assert.deepEqual([status, bytes.length], [200, expected], size);
    if (expected > MiB) assert.ok(gzipSync(bytes).length > bytes.length);
  }
});

test('what is out of bounds is refused', async (t) => {
  const { ask } = await stage(t);
  for (const [path, message] of [
    ['/debug/pprof/profile?seconds=61', /^seconds must be a number from 0 to 60\.$/],
    ['/debug/pprof/profile?seconds=-1', /^seconds must/],
    ['/debug/pprof/profile?seconds=1e3', /^seconds must/],
    ['/debug/pprof/profile?seconds=', /^seconds must/],
    ['/debug/pprof/profile?format=svg', /^format must be pprof or cpuprofile\.$/],
    ['/debug/pprof/heap?format=cpuprofile', /^format must be pprof or heapprofile\.$/],
    ['/debug/pprof/trace?seconds=31', /^seconds must be a number from 0 to 30\.$/],
    ['/debug/speedtest/download?size=2GiB', /^size must be a number of bytes of at most 1GiB/],
    ['/debug/speedtest/download?size=many', /^size must be/],
  ] as const) {
    const answer = await ask(path);
    assert.equal(answer.status, 400, path);
    assert.match(messageOf(answer), message);
  }
});

const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});
const sasl = { isRequired: true, passwordMechanisms: ['PLAIN'], sessionMsMax: 0 } as const;

test('callers without a login are served on the machine of the agent only', async (t) => {
  const { ask, agent } = await stage(t);
  const path = '/debug/pprof/';
  // biome-ignore format: a table
  const cases: [headers: Record<string, string>, status: number][] = [
    [{},                                                   200],
    [{ host: 'pages.example' },                            401],
    [{ 'x-forwarded-for': '127.0.0.1' },                   401],
    [{ 'sec-fetch-site': 'cross-site' },                   401],
    [{ origin: `http://127.0.0.1:${agent.httpPort}` },     401],
    [{ origin: 'https://pages.example' },                  403],
    [basic('alice', 'wrong'),                              401],
  ];
  for (const [headers, status] of cases)
    assert.equal((await ask(path, headers)).status, status, JSON.stringify(headers));
});

test('where logins are required, they are required of every caller', async (t) => {
  const { ask, cluster } = await stage(t, { sasl });
  addUser(cluster, 'alice', 'wonderland');
  const path = '/debug/pprof/';
  assert.equal((await ask(path)).status, 401);
  assert.equal((await ask(path, basic('alice', 'wonderland'))).status, 200);
  const proxied = { ...basic('alice', 'wonderland'), host: 'agent.example', 'x-forwarded-for': '10.0.0.7' };
  assert.equal((await ask(path, proxied)).status, 200);
});

test('with ACLs, debugging takes CLUSTER_ACTION on the cluster', async (t) => {
  const cluster = new TestCluster({ clusterConfigs: { 'service.acls.enabled': 'true' } });
  const { ask } = await stage(t, { cluster, sasl });
  for (const user of ['alice', 'bob']) addUser(cluster, user, 'wonderland');
  const acl = {
    resourceType: 'CLUSTER',
    resourceName: clusterResourceName,
    patternType: 'LITERAL',
    principal: 'User:alice',
    host: '*',
    operation: 'CLUSTER_ACTION',
    permission: 'ALLOW',
  } as const;
  cluster.putRecord('acl', aclKey(acl), {});
  const statusOf = async (user: string) => (await ask('/debug/pprof/', basic(user, 'wonderland'))).status;
  assert.deepEqual([await statusOf('alice'), await statusOf('bob')], [200, 403]);
});

test('one profile is taken at a time, and ends when its caller leaves', async (t) => {
  const under = await stage(t);
  const { agent, ask, metric } = under;
  const leaving = request({
    port: agent.httpPort,
    host: '127.0.0.1',
    path: '/debug/pprof/profile?seconds=60',
  });
  leaving.on('error', () => undefined).end();
  // The clock stands still, so that the profile goes on until the caller leaves.
  let second = await answerOf(under, '/debug/pprof/heap?seconds=0', {});
  while (second.status === 200) second = await answerOf(under, '/debug/pprof/heap?seconds=0', {});
  assert.equal(second.status, 409);
  assert.match(messageOf(second), /^Another profile is being taken/);
  leaving.destroy();
  while ((await ask('/debug/pprof/trace?seconds=0')).status === 409) await pause(1);
  assert.equal(
    await metric('http_instrumented_middleware_count{operation="debug_trace",outcome="error"}'),
    0,
  );
});

test('few speed tests run at a time, and one ends when its caller does not read', async (t) => {
  const under = await stage(t);
  const { agent, ask, clock } = under;
  const path = '/debug/speedtest/download?size=1GiB';
  const slow = await Promise.all(
    Array.from({ length: gatewayLimits.speedTestsMax }, async () => {
      const sent = request({ port: agent.httpPort, host: '127.0.0.1', path }).end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.on('error', () => undefined);
      return response;
    }),
  );
  assert.equal((await answerOf(under, path, {})).status, 409);
  clock.advance(gatewayLimits.speedTestMsMax);
  for (const response of slow) {
    response.resume();
    if (!response.closed) await once(response, 'close').catch(() => undefined);
  }
  assert.equal((await ask('/debug/speedtest/download?size=1')).status, 200);
});
