import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pause } from '@weir/core/testing';
import type { LinkingPipeline } from '@weir/metadata';
import { startRegistry } from '../testing/start-registry.ts';

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
    { error_code: 40301, message: 'User:writer is denied operation ALTER_CONFIGS on the registry.' },
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
    usernameEnv: 'WEIR_PIPELINE_USER',
    passwordEnv: 'WEIR_PIPELINE_PASSWORD',
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
