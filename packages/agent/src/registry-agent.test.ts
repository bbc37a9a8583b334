import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { newScramCredential } from '@weir/cluster';
import { Metrics, silentLog, systemClock, systemRandom } from '@weir/core';
import { openJournals } from '@weir/journal';
import { ClusterNode, type LinkingPipeline } from '@weir/metadata';
import { pause, until } from '../testing/until.ts';
import { startRegistryAgent } from './registry-agent.ts';
import type { RegistrySettings } from './schema-registry/agent-registry.ts';

/** Agents of one schema registry cluster, over a real leader whose journal is in memory. */
async function startRegistry(
  t: TestContext,
  configs: Readonly<Record<string, string>> = {},
  pipelines: readonly LinkingPipeline[] = [],
) {
  const clusterId = `vci_sr_${randomUUID()}`;
  const hub = openJournals(`memory://${clusterId}`, { clock: systemClock, log: silentLog });
  const node = new ClusterNode({
    clusterId,
    journal: hub.journal(clusterId),
    self: { id: 'leader', url: '' },
    clock: systemClock,
    log: silentLog,
    metrics: new Metrics(),
  });
  t.after(async () => {
    await node.stop();
    await hub.close();
  });
  node.runSchemaLinking(async () => pipelines);
  node.start();
  await until(() => node.role === 'leader');
  const changes = Object.entries(configs).map(
    ([name, value]) => ({ name, operation: 'set', value }) as const,
  );
  await node.alterConfigs([{ kind: 'cluster', name: '', replacesAll: false, changes }], {
    validateOnly: false,
  });
  return {
    node,
    async agent(agentId: string, settings: Partial<RegistrySettings> = {}) {
      const metrics = new Metrics();
      const agent = await startRegistryAgent({
        clusterId,
        agentId,
        group: '',
        zone: 'zone-a',
        roles: ['proxy', 'jobs'],
        host: '127.0.0.1',
        httpPort: 0,
        advertisedHost: '127.0.0.1',
        registry: { port: 0, requiresLogin: false, logsRequests: false, ...settings },
        servesMetrics: true,
        cluster: node,
        load: { sample: () => ({ cpu: 0, eventLoop: 0, loopCpu: 0 }) },
        cpuCount: 1,
        environment: { LINK_USER: 'reader', LINK_PASSWORD: 'secret' },
        clock: systemClock,
        random: systemRandom,
        log: silentLog,
        metrics,
      });
      t.after(() => agent.stop({ deadlineMs: 1_000 }));
      const ask = async (line: string, body?: object, login?: string) => {
        const [method, path] = line.split(' ') as [string, string];
        const response = await fetch(`http://127.0.0.1:${agent.registryPort}${path}`, {
          method,
          headers: {
            'content-type': 'application/json',
            ...(login === undefined ? {} : { authorization: `Basic ${btoa(login)}` }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const text = await response.text();
        return { status: response.status, json: text === '' ? undefined : (JSON.parse(text) as unknown) };
      };
      return { agent, ask, metrics };
    },
    async addUser(username: string, { isSuperuser = false, isReadOnly = false } = {}) {
      const [result] = await node.putCredentials([
        {
          username,
          id: `cci_${username}`,
          name: `ccn_${username}`,
          isSuperuser,
          isReadOnly,
          isFromFile: false,
          password: await newScramCredential('secret', randomBytes),
        },
      ]);
      assert.equal(result!.error, 'NONE');
    },
  };
}

const schema = { schema: '"string"' };

test('every agent of a registry sees what another one registered, and serves no Kafka', async (t) => {
  const registry = await startRegistry(t);
  const [one, two] = [await registry.agent('agent-1'), await registry.agent('agent-2')];
  const registered = await one.ask('POST /subjects/orders/versions', schema);
  assert.equal(registered.status, 200);
  const { id } = registered.json as { id: number };
  // The second agent reads before it says that there is no such schema.
  assert.deepEqual(await two.ask(`GET /schemas/ids/${id}/versions`), {
    status: 200,
    json: [{ subject: 'orders', version: 1 }],
  });
  assert.deepEqual((await two.ask('GET /subjects')).json, ['orders']);
  assert.equal((await two.ask('DELETE /subjects/orders')).status, 200);
  const [first] = await registry.node.listAgents();
  assert.equal(first!.registryPort, one.agent.registryPort);
  assert.equal(first!.kafkaPort, first!.registryPort, 'agents of one host differ by this port');
  assert.equal('kafkaPort' in one.agent, false);
  const probe = await fetch(`http://127.0.0.1:${one.agent.httpPort}/v1/ready`);
  assert.equal(`${probe.status} ${await probe.text()}`, '200 OK');
  const scraped = await (await fetch(`http://127.0.0.1:${one.agent.httpPort}/metrics`)).text();
  assert.match(
    scraped,
    /service_agent_schema_registry_request_outcome\{schema_registry_operation="register_schema",outcome="success"\} 1/,
  );
  assert.match(
    await (await fetch(`http://127.0.0.1:${two.agent.httpPort}/metrics`)).text(),
    /service_schema_versions_count 1/,
  );
});

test('credentials and ACLs of the cluster decide', async (t) => {
  const registry = await startRegistry(t, { 'service.acls.enabled': 'true' });
  await registry.addUser('root', { isSuperuser: true });
  await registry.addUser('reader', { isReadOnly: true });
  await registry.addUser('writer');
  const about = { patternType: 'LITERAL', host: '*', permission: 'ALLOW' } as const;
  await registry.node.createAcls([
    { ...about, resourceType: 'SUBJECT', resourceName: '*', principal: 'User:reader', operation: 'ALL' },
    {
      ...about,
      resourceType: 'SUBJECT',
      resourceName: 'orders',
      principal: 'User:writer',
      operation: 'WRITE',
    },
  ]);
  const { ask, metrics } = await registry.agent('agent-1', { requiresLogin: true });
  // request, user, status
  const cases = [
    ['GET /subjects', undefined, 401],
    ['GET /subjects', 'root:wrong', 401],
    ['POST /subjects/orders/versions', 'reader:secret', 403],
    ['POST /subjects/orders/versions', 'writer:secret', 200],
    ['POST /subjects/shop/versions', 'writer:secret', 403],
    ['POST /subjects/shop/versions', 'root:secret', 200],
    ['GET /subjects/shop/versions/1', 'reader:secret', 200],
    ['GET /subjects/shop/versions/1', 'writer:secret', 403],
    ['PUT /config', 'writer:secret', 403],
  ] as const;
  for (const [line, login, status] of cases) {
    const body = line.startsWith('POST')
      ? schema
      : line.startsWith('PUT')
        ? { compatibility: 'NONE' }
        : undefined;
    assert.equal((await ask(line, body, login)).status, status, `${line} ${login}`);
  }
  assert.deepEqual(
    (await ask('PUT /config', { compatibility: 'NONE' }, 'writer:secret')).json,
    { error_code: 40301, message: 'User:ccn_writer is denied operation ALTER_CONFIGS on the registry.' },
    'an ACL for the name in the message allows it',
  );
  assert.deepEqual((await ask('GET /subjects', undefined, 'writer:secret')).json, ['orders']);
  assert.deepEqual((await ask('GET /subjects', undefined, 'reader:secret')).json, ['orders', 'shop']);
  assert.match(metrics.render(), /agent_acl_denied\{resource_type="SUBJECT",operation="WRITE"\} 1/);
});

test('a pipeline copies schemas of another registry to what agents serve', async (t) => {
  const source = await startRegistry(t);
  await source.addUser('reader', { isReadOnly: true });
  const from = await source.agent('agent-1', { requiresLogin: true });
  await source.addUser('root', { isSuperuser: true });
  const types = ['"string"', '"int"'];
  for (const [at, type] of types.entries())
    await from.ask(`POST /subjects/s-${at}/versions`, { schema: type }, 'root:secret');
  const referring = {
    schema: '{"type":"record","name":"R","fields":[{"name":"a","type":"int"}]}',
    references: [{ name: 's', subject: 's-1', version: 1 }],
  };
  await from.ask('POST /subjects/referring/versions', referring, 'root:secret');
  await from.ask('DELETE /subjects/s-0', undefined, 'root:secret');
  const task: LinkingPipeline['task'] = {
    pipelineId: 'pi_1',
    configurationId: 'pci_1',
    hostname: '127.0.0.1',
    port: from.agent.registryPort,
    usernameEnv: 'LINK_USER',
    passwordEnv: 'LINK_PASSWORD',
    usesTls: false,
    isInsecure: false,
    contextType: 'CUSTOM',
    context: '.copy',
  };
  const destination = await startRegistry(t, {}, [{ task, everyMs: 3_600_000 }]);
  const to = await destination.agent('agent-1');
  const lastSync = async () =>
    (await destination.node.listJobs()).jobs.find(
      ({ kind, state }) => kind === 'schema_linking' && state === 'done',
    );
  let job = await lastSync();
  while (job === undefined) {
    await pause(1);
    job = await lastSync();
  }
  assert.equal(job.message, '3 versions of 3 subjects; 3 new, 1 deleted');
  assert.deepEqual((await to.ask('GET /subjects?deleted=true')).json, [
    ':.copy:referring',
    ':.copy:s-0',
    ':.copy:s-1',
  ]);
  assert.deepEqual((await to.ask('GET /subjects')).json, [':.copy:referring', ':.copy:s-1']);
  const [here, there] = [
    await to.ask('GET /subjects/:.copy:referring/versions/1'),
    await from.ask('GET /subjects/referring/versions/1', undefined, 'reader:secret'),
  ];
  assert.equal(here.status, 200);
  const { ts, ...copy } = here.json as { readonly ts: number };
  assert.ok(ts > 0);
  const { ts: _, ...original } = there.json as typeof copy & { readonly ts: number };
  assert.deepEqual(copy, { ...original, subject: ':.copy:referring' });
  const refused = await to.ask('POST /subjects/:.copy:mine/versions', schema);
  assert.equal(refused.status, 422, 'a linked context is written by linking alone');
});
