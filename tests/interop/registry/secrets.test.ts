import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pause } from '../brokers/waiting.ts';
import { lastFirst, temporaryFolder } from '../brokers/weir-process.ts';
import { anyPort, ask, demand, startRegistryCluster } from './registry-cluster.ts';

const bounded = { timeout: 240_000 };
const wrong = 'wrong-horse-battery';
const right = 'right-horse-battery';
const later = 'later-horse-battery';
const exported = 'exported-horse-battery';
const written = 'written-horse-battery';
const addressed = 'addressed-horse-battery';

/** Another registry with one subject, that notes who asks. */
async function startOther(t: TestContext) {
  const seen = new Set<string>();
  let password = right;
  let held: Promise<void> | undefined;
  const answers: Readonly<Record<string, unknown>> = {
    '/subjects?deleted=true': ['orders'],
    '/subjects/orders/versions?deleted=true': [1],
    '/subjects/orders/versions': [1],
    '/subjects/orders/versions/1?deleted=true': { subject: 'orders', version: 1, id: 10, schema: '"string"' },
    '/config': { compatibilityLevel: 'FULL' },
  };
  const server = createServer((request, response) => {
    const [, proof = ''] = (request.headers.authorization ?? '').split(' ');
    const login = Buffer.from(proof, 'base64').toString();
    seen.add(login);
    void (async () => {
      await held;
      const answer = answers[request.url ?? ''];
      const isKnown = login === `me:${password}`;
      response.writeHead(isKnown ? (answer === undefined ? 404 : 200) : 401, {
        'content-type': 'application/json',
      });
      const code = request.url?.startsWith('/mode') ? 40409 : 40408;
      response.end(JSON.stringify(isKnown ? (answer ?? { error_code: code, message: 'none' }) : {}));
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    expect(next: string) {
      password = next;
    },
    /** Answers nothing from now on until the returned function is called. */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
  };
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await pause();
}

test(
  'named secrets reach the jobs that need them, at once after a rotation, and nothing else',
  bounded,
  async (t) => {
    const lifetime = lastFirst(t);
    const folder = temporaryFolder(lifetime);
    const hosts = ['-allowedTargetHosts', 'loopback'];
    const other = await startOther(t);
    const cluster = await startRegistryCluster(lifetime, { folder, controlPlaneFlags: hosts });
    const agent = await cluster.addAgent([...anyPort, ...hosts]);
    const api = cluster.api();
    const on = { virtual_cluster_id: cluster.clusterId };
    const target = { ...on, secret_name: 'registry-password' };
    const made = await api.call('create_pipeline', {
      ...on,
      pipeline_name: 'mirror',
      pipeline_type: 'schema_linking',
    });
    const pipeline = { ...on, pipeline_id: made.pipeline_id };
    const configuration_yaml = `source_schema_registry: {hostname: 127.0.0.1, port: ${other.port}, basic_auth_username: me, basic_auth_password: "\${secret:registry-password}"}\nsync_every_seconds: 3600\n`;
    const configure = () => api.call('create_pipeline_configuration', { ...pipeline, configuration_yaml });
    await assert.rejects(
      configure(),
      /refers to the secret registry-password, which does not exist in the cluster/,
    );
    await api.call('create_secret', { ...target, secret: wrong });
    const { configuration_id } = await configure();
    await api.call('change_pipeline_state', {
      ...pipeline,
      desired_state: 'running',
      deployed_configuration_id: configuration_id,
    });
    const run = async () => (await api.call('describe_pipeline', pipeline)).pipeline_overview.run;
    await until(async () => (await run())?.status === 'error');
    assert.match((await run())!.message, /the credentials were refused/);
    assert.deepEqual([...other.seen], [`me:${wrong}`]);

    // Without the rotation it would be tried again after minutes.
    await api.call('update_secret', { ...target, secret: right });
    await until(async () => (await run())?.status === 'synced');
    assert.deepEqual(await demand(agent, 'GET /subjects'), ['orders']);

    // A job that runs stops, and starts again with the new value.
    const release = other.hold();
    other.seen.clear();
    await api.call('update_secret', { ...target, secret: wrong });
    await until(() => other.seen.has(`me:${wrong}`));
    assert.equal((await run())!.status, 'running');
    await api.call('update_secret', { ...target, secret: later });
    other.expect(later);
    await until(() => other.seen.has(`me:${later}`));
    release();
    await until(async () => (await run())?.status === 'synced');

    // An exporter may name what is made for exporters.
    const config = {
      'schema.registry.url': `http://127.0.0.1:${other.port}`,
      'basic.auth.user.info': `me:\${secret:registry-password}`,
    };
    const refused = await ask(agent, 'POST /exporters', { name: 'e', config });
    assert.equal(refused.status, 409);
    assert.match(
      (refused.body as { message: string }).message,
      /^The config refers to the secret registry-password, which does not exist or does not allow exporters\.$/,
    );
    await api.call('create_secret', {
      ...on,
      secret_name: 'export-login',
      secret: `me:${exported}`,
      allows_exporters: true,
    });
    config['basic.auth.user.info'] = `\${secret:export-login}`;
    await demand(agent, 'POST /exporters', { name: 'e', config });
    await until(() => other.seen.has(`me:${exported}`));
    assert.deepEqual(await demand(agent, 'GET /exporters/e/config'), config);
    await assert.rejects(api.call('delete_secret', { ...on, secret_name: 'export-login' }), {
      code: 'secret_in_use',
      message: 'The secret "export-login" is used by the exporter "e"; change them first.',
    });
    await assert.rejects(api.call('delete_secret', target), /used by the pipeline "mirror" \(version 1\)/);

    // Secrets that are written into a config reach its job, too, and are sealed where they are stored.
    const direct = {
      'schema.registry.url': config['schema.registry.url'],
      'basic.auth.user.info': `me:${written}`,
    };
    await demand(agent, 'POST /exporters', { name: 'direct', config: direct });
    await until(() => other.seen.has(`me:${written}`));
    const inAddress = { 'schema.registry.url': `http://me:${addressed}@127.0.0.1:${other.port}` };
    await demand(agent, 'POST /exporters', { name: 'in-address', config: inAddress });
    await until(() => other.seen.has(`me:${addressed}`));
    assert.deepEqual(await demand(agent, 'GET /exporters/in-address/config'), {
      'schema.registry.url': `http://[hidden]@127.0.0.1:${other.port}`,
    });

    const { entries } = await api.call('search_audit_log', { limit: 100 });
    const shown = [
      ...cluster.controlPlanes.map(({ output }) => output.out + output.err),
      agent.output.out + agent.output.err,
      JSON.stringify(entries),
      JSON.stringify(await api.call('list_secrets', on)),
      JSON.stringify(await api.call('list_jobs', on)),
      JSON.stringify(await api.call('describe_pipeline', pipeline)),
      await (await fetch(`${agent.address('HTTP')}/metrics`)).text(),
    ];
    for (const text of shown) assert.doesNotMatch(text, /horse-battery/);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    assert.ok(files.some(({ name }) => name.startsWith('weir.db')));
    for (const { parentPath, name } of files)
      assert.ok(!readFileSync(join(parentPath, name)).includes('horse-battery'), name);
  },
);
