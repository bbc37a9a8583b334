import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createClient } from '@weir/api';
import { pause } from '../brokers/waiting.ts';
import { lastFirst, startLocal, temporaryFolder } from '../brokers/weir-process.ts';
import { SecretFiles } from './secured.ts';

const messageCount = 20;
const poison = 7;
const refused = 9;

/** A server that is down at first, and refuses one message for a while. */
async function startServer(t: TestContext) {
  const received = new Set<number>();
  const dead = new Set<number>();
  const state = { isUp: false, refusals: 0 };
  const server = createServer((request, response) => {
    if (!state.isUp) {
      request.socket.destroy();
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { id } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly id: number };
      if (id === refused && state.refusals++ < 3) response.writeHead(400).end();
      else {
        (request.url === '/dead' ? dead : received).add(id);
        response.writeHead(200).end();
      }
    });
  }).listen(0, '127.0.0.1');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, dead, state };
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await pause(100);
}

/** A cluster with TLS by a private authority. */
async function startCluster(t: TestContext, flags: readonly string[], wantsCertificates = false) {
  const lifetime = lastFirst(t);
  const HOME = temporaryFolder(lifetime);
  const secrets = await SecretFiles.make(lifetime);
  const ca = wantsCertificates ? ['-tlsClientCACertFile', secrets.caFile] : [];
  const local = await startLocal(lifetime, [...(await secrets.serverFlags()), ...ca, ...flags], { HOME });
  const running = join(HOME, '.weir', 'running', `${local.pid}.json`);
  const { applicationKey } = JSON.parse(readFileSync(running, 'utf8')) as { applicationKey: string };
  const headers = { 'service-api-key': applicationKey };
  const api = createClient({ baseUrl: local.address('control plane'), fetch, headers });
  const { virtual_clusters } = await api.call('list_virtual_clusters', {});
  const cluster = { virtual_cluster_id: virtual_clusters.find(({ type }) => type === 'byoc')!.id };
  const run = async (pipeline_name: string, configuration_yaml: string) => {
    const { pipeline_id } = await api.call('create_pipeline', { ...cluster, pipeline_name });
    const place = { ...cluster, pipeline_id };
    const made = await api.call('create_pipeline_configuration', { ...place, configuration_yaml });
    await api.call('change_pipeline_state', {
      ...place,
      desired_state: 'running',
      deployed_configuration_id: made.configuration_id,
    });
  };
  return { api, cluster, run };
}

/**
 * Managed pipelines of a cluster with TLS by a private authority, logins and ACLs: they name no credentials. Their
 * output is down, refuses a message, and a processor fails on another one.
 */
test('pipelines log in by themselves, and lose nothing while an output is down', {
  timeout: 240_000,
}, async (t) => {
  const { api, cluster, run } = await startCluster(t, ['-requireSASLAuthentication']);
  await api.call('update_events_state', { ...cluster, enabled: true });
  await api.call('update_virtual_cluster_configuration', {
    ...cluster,
    virtual_cluster_configuration: { acl_shadowing_enabled: true },
  });
  for (const topic_name of ['in', 'dead-letters'])
    await api.call('create_topic', { ...cluster, topic_name, partition_count: 1, configs: {} });
  const server = await startServer(t);
  const numbers = (from: number) => `
input: {generate: {mapping: root.id = ${from} + counter(), count: ${messageCount}, interval: ""}}
output: {kafka_franz_service: {topic: in}}
`;
  const post = (path: string) => `http_client: {url: "${server.url}${path}", verb: POST, retries: 0}`;
  await run(
    'forward',
    `
input: {kafka_franz_service: {topics: [in], consumer_group: forward}}
pipeline:
  processors:
    - mapping: 'root = if this.id == ${poison} { throw("poison") }'
output:
  switch:
    cases:
      - check: errored()
        output: {kafka_franz_service: {topic: dead-letters}}
      - output: {${post('/')}}
`,
  );
  await run(
    'dead',
    `input: {kafka_franz_service: {topics: [dead-letters], consumer_group: dead}}\noutput: {${post('/dead')}}\n`,
  );
  await run('fill', numbers(0));
  const logged = async (filter: string) =>
    (
      await api.call('search_events', {
        ...cluster,
        event_types: ['pipeline_logs'],
        filter,
        time_range: { relative: '15m' },
      })
    ).events.map(({ data }) => data as Readonly<Record<string, unknown>>);
  const failures = () =>
    logged('data.pipeline_name == "forward" and data.message == "failed to write to the output"');
  await until(async () => (await failures()).length > 0);
  assert.equal(server.received.size, 0);
  server.state.isUp = true;
  const all = Array.from({ length: messageCount }, (_, at) => at + 1);
  await until(() => server.received.size + server.dead.size >= messageCount);
  assert.deepEqual([...server.dead], [poison]);
  assert.deepEqual(
    [...server.received].toSorted((a, b) => a - b),
    all.filter((id) => id !== poison),
  );
  await until(async () => (await failures()).some(({ error }) => /400/.test(String(error))));

  await api.call('update_virtual_cluster_configuration', {
    ...cluster,
    virtual_cluster_configuration: { acl_shadowing_enabled: false, are_acls_enabled: true },
  });
  await run('fill-again', numbers(100));
  await until(() => server.received.size + server.dead.size >= 2 * messageCount);
  const { events } = await api.call('search_events', {
    ...cluster,
    event_types: ['acl_logs'],
    filter: '',
    time_range: { relative: '15m' },
  });
  const denials = events.filter(({ data }) => JSON.stringify(data).includes('weir-pipeline'));
  assert.deepEqual(denials, []);
});

test('pipelines read and write a cluster that requires client certificates', {
  timeout: 240_000,
}, async (t) => {
  const flags = ['-requireMTLSAuthentication', '-bindAddress', '127.0.0.1'];
  const { api, cluster, run } = await startCluster(t, flags, true);
  await api.call('update_virtual_cluster_configuration', {
    ...cluster,
    virtual_cluster_configuration: { are_acls_enabled: true },
  });
  await api.call('create_topic', { ...cluster, topic_name: 'in', partition_count: 3, configs: {} });
  const server = await startServer(t);
  server.state.isUp = true;
  server.state.refusals = 3;
  const all = Array.from({ length: messageCount }, (_, at) => at + 1);
  await run(
    'forward',
    `input: {kafka_franz_service: {topics: [in], consumer_group: forward}}
output: {http_client: {url: "${server.url}/", verb: POST, retries: 0}}
`,
  );
  await run(
    'fill',
    `input: {generate: {mapping: root.id = counter(), count: ${messageCount}, interval: ""}}
output: {kafka_franz_service: {topic: in}}
`,
  );
  await until(() => server.received.size >= messageCount);
  assert.deepEqual(
    [...server.received].toSorted((a, b) => a - b),
    all,
  );
});
