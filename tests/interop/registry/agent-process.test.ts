import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Command } from '../agent/supervised-agents.ts';
import { pause } from '../brokers/waiting.ts';
import { lastFirst, type WeirProcess } from '../brokers/weir-process.ts';
import { anyPort, ask, contentsOf, demand, type Served, startRegistryCluster } from './registry-cluster.ts';

const bounded = { timeout: 240_000 };
const schema = { schema: '"string"' };

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
    socket.once('connect', () => socket.destroy());
  });
}

test(
  'an agent of a registry serves it alone, to those who may, and loses nothing by a restart',
  bounded,
  async (t) => {
    const lifetime = lastFirst(t);
    const cluster = await startRegistryCluster(lifetime);
    const kafkaPort = await freePort();
    const registryPort = await freePort();
    const ports = ['-kafkaPort', String(kafkaPort), '-schemaRegistryPort', String(registryPort)];
    const secured = [...ports, '-schemaRegistryBasicAuthEnabled'];
    const agent = await cluster.addAgent(secured);
    assert.equal(agent.address('registry'), `http://127.0.0.1:${registryPort}`);
    assert.doesNotMatch(agent.output.out, /Kafka/);
    assert.equal(await isOpen(kafkaPort), false, 'there is no Kafka port');
    const ready = await fetch(`${agent.address('HTTP')}/v1/ready`);
    assert.equal(ready.status, 200);

    const about = { virtual_cluster_id: cluster.clusterId };
    const api = cluster.api();
    const credential = async (
      name: string,
      options: { is_cluster_superuser?: true; read_only?: true } = {},
    ) => {
      const { username, password } = await api.call('create_virtual_cluster_credentials', {
        ...about,
        credentials_name: name,
        ...options,
      });
      return `${username}:${password}`;
    };
    const logins = {
      root: await credential('root', { is_cluster_superuser: true }),
      reader: await credential('reader', { read_only: true }),
      shop: await credential('shop'),
    };
    const { agents } = await api.call('list_agents', about);
    assert.deepEqual(
      agents.map(({ kafka_port, schema_registry_port }) => [kafka_port, schema_registry_port]),
      [[undefined, registryPort]],
    );

    assert.equal((await ask(agent, 'GET /subjects')).status, 401);
    assert.equal((await ask(agent, 'GET /subjects', undefined, 'root:guess')).status, 401);
    // Credentials reach agents within a moment.
    while ((await ask(agent, 'GET /subjects', undefined, logins.root)).status === 401) await pause();
    await demand(agent, 'POST /subjects/orders/versions', schema, logins.root);
    while ((await ask(agent, 'GET /subjects', undefined, logins.reader)).status === 401) await pause();
    assert.deepEqual(await demand(agent, 'GET /subjects', undefined, logins.reader), ['orders']);
    assert.deepEqual(await ask(agent, 'POST /subjects/orders/versions', schema, logins.reader), {
      status: 403,
      body: { error_code: 40301, message: 'User:reader has a read-only credential and may only read.' },
    });

    await api.call('update_virtual_cluster_configuration', {
      ...about,
      virtual_cluster_configuration: { are_acls_enabled: true },
    });
    const bySubject = () => ask(agent, 'POST /subjects/shop/versions', schema, logins.shop);
    while ((await bySubject()).status !== 403) await pause();
    const { body } = await bySubject();
    const { message } = body as { message: string };
    assert.equal(message, 'User:shop is denied operation WRITE on subject shop.');
    // An ACL for the principal that the message names allows it.
    await api.call('virtual_clusters/acls/create', {
      ...about,
      acl: {
        resource_type: 'SUBJECT',
        resource_name: 'shop',
        pattern_type: 'LITERAL',
        principal: message.split(' ', 1)[0]!,
        host: '*',
        operation: 'ALL',
        permission_type: 'ALLOW',
      },
    });
    while ((await bySubject()).status !== 200) await pause();
    assert.equal((await ask(agent, 'GET /subjects/orders/versions/1', undefined, logins.shop)).status, 403);
    assert.deepEqual(await demand(agent, 'GET /subjects', undefined, logins.shop), ['shop']);

    const asRoot = (from: WeirProcess) => contentsOf(from, logins.root);
    const before = await asRoot(agent);
    await agent.stop();
    const second = await cluster.addAgent(secured);
    assert.deepEqual(await asRoot(second), before, 'after a stop');
    assert.equal((await ask(second, 'GET /subjects')).status, 401);
    await second.kill();
    const third = await cluster.addAgent(secured);
    assert.deepEqual(await asRoot(third), before, 'after a crash');
    assert.equal((await ask(third, 'POST /subjects/orders/versions', schema, logins.shop)).status, 403);
  },
);

test('SIGTERM lets requests that have begun end, and takes no others', bounded, async (t) => {
  const lifetime = lastFirst(t);
  const cluster = await startRegistryCluster(lifetime);
  const agent = await cluster.addAgent();
  const other = await cluster.addAgent();
  const body = JSON.stringify(schema);
  const url = `${agent.address('registry')}/subjects/orders/versions`;
  const late = request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': body.length },
  });
  const answered = once(late, 'response');
  late.write(body.slice(0, 5));
  // The registry is loaded by the first request, so that this one is being read when another is answered.
  await demand(agent, 'GET /subjects');
  const stopped = agent.stop();
  const { port } = new URL(agent.address('registry'));
  while (await isOpen(Number(port))) await pause();
  late.end(body.slice(5));
  const [response] = await answered;
  assert.equal(response.statusCode, 200);
  response.resume();
  await stopped;
  assert.match(agent.output.err, /"stopped schema registry agent"/);
  assert.deepEqual(await demand(other, 'GET /subjects'), ['orders']);
});

test(
  '-processes starts several agents of a registry, and each serves it',
  bounded,
  async (t: TestContext) => {
    const lifetime = lastFirst(t);
    const cluster = await startRegistryCluster(lifetime);
    const command = new Command(t, [...cluster.agentArgs, ...anyPort, '-processes', '2']);
    await command.waitForOutput(/is ready with 2 processes\n(.*\n){6}/);
    const found = Array.from(command.out.matchAll(/registry +(http\S+)\n/g), ([, url]) => url!);
    assert.equal(new Set(found).size, 2, command.out);
    assert.doesNotMatch(command.out, /Kafka/);
    const [one, two] = found.map((url): Served => ({ address: () => url })) as [Served, Served];
    await demand(one, 'POST /subjects/orders/versions', schema);
    assert.equal(((await demand(two, 'GET /schemas/ids/1')) as { schema: string }).schema, schema.schema);
    const again = (await demand(two, 'POST /subjects/shop/versions', schema)) as { id: number };
    assert.equal(again.id, 1);
    command.signal('SIGTERM');
    assert.equal(await command.ended(), 0);
  },
);
