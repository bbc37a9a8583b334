import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Client as Assistant, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ApiError, createClient } from '@weir/api';
import { systemEnvironment } from '@weir/core';
import { Kafka, logLevel } from 'kafkajs';
import { signUpFirstUser } from '../brokers/first-user.ts';
import { untilSucceeds } from '../brokers/waiting.ts';
import { lastFirst, startWeir, temporaryFolder } from '../brokers/weir-process.ts';

type Client = ReturnType<typeof createClient>;

/**
 * Events end to end: enabled through the API, a third-party client is denied access, and a search finds the denial.
 * Agents are separate processes that poll the control plane for queries; one of them is killed.
 */
test('a denial is found by a search, also when an agent dies', {
  timeout: 300_000,
}, async (t: TestContext) => {
  const lifetime = lastFirst(t);
  const folder = temporaryFolder(lifetime);
  const plane = await startWeir(
    [
      ...['control-plane', '-dataDir', join(folder, 'control-plane')],
      ...['-bindAddress', '127.0.0.1', '-consolePort', '0'],
    ],
    ['control plane'],
  );
  lifetime.after(() => plane.stop());
  const url = plane.address('control plane');
  await untilSucceeds(async () => assert.match(plane.output.out, /signs up at /));
  const cookie = await signUpFirstUser(plane);
  const client = createClient({ baseUrl: url, fetch, headers: { cookie, origin: url } });
  const made = await client.call('create_virtual_cluster', { virtual_cluster_name: 'orders' });
  const cluster = { virtual_cluster_id: made.virtual_cluster_id };
  const search = (filter = '') =>
    client.call('search_events', { ...cluster, filter, time_range: { relative: '15m' } });
  assert.equal(await refusal(search()), 'events_disabled');
  await client.call('update_events_state', { ...cluster, enabled: true });
  assert.equal(await refusal(search()), 'no_query_engine');

  const startAgent = () =>
    startWeir(
      [
        ...['agent', '-metadataURL', url],
        ...['-defaultVirtualClusterID', made.virtual_cluster_id, '-agentKey', made.agent_key!.key],
        ...['-bucketURL', pathToFileURL(join(folder, 'bucket')).href, '-availabilityZone', 'zone-a'],
        ...['-kafkaPort', '0', '-httpPort', '0', '-bindAddress', '127.0.0.1'],
        ...['-gracefulShutdownDuration', '5s'],
      ],
      ['Kafka', 'HTTP'],
    );
  const first = await startAgent();
  lifetime.after(() => first.kill());
  await client.call('create_topic', { ...cluster, topic_name: 'orders', partition_count: 1, configs: {} });
  await client.call('update_virtual_cluster_configuration', {
    ...cluster,
    virtual_cluster_configuration: { are_acls_enabled: true },
  });
  const kafka = new Kafka({
    brokers: [first.address('Kafka')],
    logLevel: logLevel.NOTHING,
    retry: { retries: 0 },
  });
  await untilSucceeds(() => isDenied(kafka));

  const denials = 'data.resource_name == "orders" and type == "acl_logs" and data.is_allowed == false';
  await untilSucceeds(async () => assert.notEqual((await search(denials)).events.length, 0));
  const { events, stats } = await search(denials);
  const [event] = events;
  assert.equal(event!.data.principal, 'User:ANONYMOUS');
  assert.equal(event!.data.virtual_cluster_id, made.virtual_cluster_id);
  assert.equal(event!.data.virtual_cluster_name, 'vcn_orders');
  assert.match(event!.source, new RegExp(`^ws:agent:${made.virtual_cluster_id}:`));
  assert.ok(stats.events_matched > 0);

  const found = await client.call('get_event', { ...cluster, event_id: event!.id, near: event!.time });
  assert.deepEqual(found.event, event);
  const { timeline } = await client.call('get_events_timeline', { ...cluster, group_by: 'type' });
  assert.ok(timeline.series.some(({ key }) => key === 'acl_logs'));
  const { fields } = await client.call('list_event_fields', { ...cluster, event_types: ['acl_logs'] });
  assert.ok(fields.some(({ name }) => name === 'data.principal'));
  assert.equal(await refusal(search('data.a = 1')), 'filter_syntax');
  const key = await readerKey(client);
  await searchByTool(url, key, made.virtual_cluster_id);
  await callAsAssistant(url, key);

  const second = await startAgent();
  lifetime.after(() => second.stop());
  await first.kill();
  const again = await search(denials);
  assert.ok(again.events.some(({ id }) => id === event!.id));
});

/** Creates a read-only key. */
async function readerKey(client: Client): Promise<string> {
  const { workspaces } = await client.call('list_workspaces', {});
  const { key } = await client.call('create_api_key', {
    name: 'reader',
    access_grants: [
      {
        principal_kind: 'app_r',
        resource_kind: '*',
        resource_id: '*',
        workspace_id: workspaces[0]!.id,
      },
    ],
  });
  return key;
}

/** Searches with the MCP client library, at the same address as other clients. */
async function callAsAssistant(url: string, key: string): Promise<void> {
  const assistant = new Assistant({ name: 'test', version: '1' });
  const requestInit = { headers: { 'service-api-key': key } };
  await assistant.connect(new StreamableHTTPClientTransport(new URL(`${url}/api/v1/mcp`), { requestInit }));
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { content, isError } = await assistant.callTool({ name, arguments: args });
    const text = (content as { readonly text: string }[]).map((part) => part.text).join('\n');
    assert.notEqual(isError, true, text);
    return text;
  };
  assert.match(await call('get_context'), /vcn_orders/);
  assert.match(await call('list_agents', { virtual_cluster_id: 'orders' }), /zone-a/);
  const denied = {
    virtual_cluster_id: 'orders',
    event_types: ['acl_logs'],
    time_range: { relative: '15m' },
  };
  assert.match(await call('search_events', denied), /User:ANONYMOUS was denied/);
  const access = {
    principal: 'User:ANONYMOUS',
    operation: 'WRITE',
    resource_type: 'TOPIC',
    resource_name: 'orders',
  };
  assert.match(await call('explain_access', { virtual_cluster_id: 'orders', ...access }), /denied/);
  await assistant.close();
  const stranger = await fetch(`${url}/api/v1/mcp`, { method: 'POST', body: '{}' });
  assert.equal(stranger.status, 401);
  assert.match(await stranger.text(), /invalid API key/);
}

/** Searches with the command-line tool. */
async function searchByTool(url: string, key: string, clusterId: string): Promise<void> {
  const { PATH, HOME } = systemEnvironment;
  const { stdout } = await promisify(execFile)(
    join(import.meta.dirname, '../../../bin/weir'),
    ['cli', 'events', 'search', '-types', 'acl_logs', '-last', '15m', '-cluster', clusterId],
    { env: { PATH, HOME, SERVICE_API_URL: url, SERVICE_API_KEY: key } },
  );
  assert.match(stdout, /^TIME +TYPE +LEVEL +MESSAGE\n\S+Z +acl_logs /);
}

async function isDenied(kafka: Kafka): Promise<void> {
  const producer = kafka.producer();
  await producer.connect();
  try {
    await producer.send({ topic: 'orders', messages: [{ value: 'x' }] });
  } catch (error) {
    assert.match((error as Error).message, /[Nn]ot authorized/);
    return;
  } finally {
    await producer.disconnect();
  }
  throw new Error('it was not denied');
}

async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
  return 'none';
}
