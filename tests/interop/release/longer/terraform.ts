/**
 * The provider for OpenTofu and Terraform: the configuration of docs/guides/terraform.md is applied to a control plane,
 * changed by other means, imported and destroyed.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { systemClock, systemEnvironment } from '@weir/core';
import { lastFirst, startWeir, temporaryFolder } from '../../brokers/weir-process.ts';
import { buildGoModule } from '../../go/programs.ts';
import { blocksOf } from '../../readme/blocks.ts';
import { hasProgram } from './isolated-root.ts';

const root = join(import.meta.dirname, '../../../..');
const tool = ['tofu', 'terraform'].find(hasProgram);
const provider = buildGoModule('terraform-provider-weir', '.', join(root, 'deploy/terraform/provider'));
const skip = tool === undefined ? 'neither OpenTofu nor Terraform is installed' : provider.missing;

const [example] = blocksOf(readFileSync(join(root, 'docs/guides/terraform.md'), 'utf8')).filter(
  ({ language }) => language === 'hcl',
);

type Answer = Record<string, never>;

test('the page is applied, is no difference afterwards, and is destroyed', {
  skip,
  timeout: 300_000,
}, async (t) => {
  const lifetime = lastFirst(t);
  const folder = temporaryFolder(lifetime);
  const data = join(folder, 'data');
  const plane = await startWeir(
    ['control-plane', '-dataDir', data, '-bindAddress', '127.0.0.1', '-consolePort', '0'],
    ['control plane'],
  );
  lifetime.after(() => plane.stop());
  const url = plane.address('control plane');
  const identity = join(data, 'identity.json');
  // It is written after the address was printed, and before requests are answered.
  while (!existsSync(identity)) await new Promise<void>((resolve) => systemClock.after(20, resolve));
  const { accountKey } = JSON.parse(readFileSync(identity, 'utf8'));
  let apiKey: string = accountKey;
  const api = async (operation: string, input: object = {}): Promise<Answer> => {
    const ask = () =>
      fetch(`${url}/api/v1/${operation}`, {
        method: 'POST',
        headers: { 'service-api-key': apiKey, 'content-type': 'application/json' },
        body: JSON.stringify(input),
      });
    let response = await ask();
    while (response.status === 503) {
      await new Promise<void>((resolve) => systemClock.after(100, resolve));
      response = await ask();
    }
    const text = await response.text();
    assert.equal(response.status, 200, `${operation}: ${text}`);
    return JSON.parse(text);
  };

  const all = { resource_kind: '*', resource_id: '*', workspace_id: '', managed_grant_name: '' };
  apiKey = (
    await api('create_api_key', { name: 'operator', access_grants: [{ principal_kind: 'app', ...all }] })
  ).key!;

  const work = join(folder, 'work');
  mkdirSync(work);
  const settings = join(folder, 'tool.rc');
  writeFileSync(
    settings,
    `provider_installation {\n  dev_overrides { "weir/weir" = "${dirname(provider.program)}" }\n  direct {}\n}\n`,
  );
  const run = (...args: string[]) => {
    const { PATH } = systemEnvironment;
    const { status, stdout, stderr } = spawnSync(tool!, [...args, '-no-color'], {
      cwd: work,
      env: {
        PATH,
        HOME: folder,
        TF_CLI_CONFIG_FILE: settings,
        CHECKPOINT_DISABLE: '1',
        SERVICE_API_URL: url,
        SERVICE_API_KEY: apiKey,
      },
      encoding: 'utf8',
    });
    return { status, said: `${stdout}${stderr}` };
  };
  const apply = () => {
    const { status, said } = run('apply', '-auto-approve', '-input=false');
    assert.equal(status, 0, said);
  };
  /** 0 if nothing is to do, 2 if something is. */
  const planned = () => run('plan', '-detailed-exitcode', '-input=false', '-lock=false');
  const write = (text: string) => writeFileSync(join(work, 'main.tf'), text);

  write(example!.text);
  apply();
  assert.equal(planned().status, 0, planned().said);
  const { virtual_clusters } = (await api('list_virtual_clusters')) as unknown as {
    virtual_clusters: { id: string; name: string }[];
  };
  const { id: virtual_cluster_id } = virtual_clusters.find(({ name }) => name === 'vcn_shop')!;
  assert.ok(virtual_clusters.some(({ name }) => name === 'vcn_sr_shop_schemas'));
  const topic = { virtual_cluster_id, topic_name: 'orders' };
  const described = (await api('describe_topic', topic)) as unknown as {
    partition_count: number;
    configs: Record<string, string>;
  };
  assert.deepEqual([described.partition_count, described.configs['cleanup.policy']], [12, 'compact']);
  const { acls } = (await api('virtual_clusters/acls/list', { virtual_cluster_id })) as unknown as {
    acls: object[];
  };
  assert.equal(acls.length, 2);
  const { status, said } = run('output', '-raw', 'agent_key');
  assert.deepEqual([status, /^aks_\w+$/.test(said.trim())], [0, true], said);

  const keysOf = async (name: string) => {
    const { api_keys } = (await api('list_api_keys')) as unknown as {
      api_keys: { id: string; name: string; access_grants: Record<string, string>[] }[];
    };
    return api_keys.filter((key) => key.name === `akn_${name}`);
  };
  const [reports] = await keysOf('reports');
  assert.deepEqual(
    reports!.access_grants.map((grant) => [grant.principal_kind, grant.managed_grant_name]),
    [['app_r', 'read_records']],
  );

  // By other means.
  await api('update_topic', { ...topic, partition_count: 16, configs: {} });
  await api('virtual_clusters/acls/delete', { virtual_cluster_id, acls: [acls[0]] });
  const found = planned();
  assert.equal(found.status, 2, found.said);
  assert.match(found.said, /partition_count +=/);
  assert.match(found.said, /weir_acl\.orders\["\w+"\] will be created/);

  write(
    example!.text
      .replace('= 12', '= 16')
      .replace('default_num_partitions   = 6', '')
      .replace('team = "billing"', 'team = "orders"')
      .replace('events = { enabled = true }', 'events = { enabled = false }'),
  );
  apply();
  assert.equal(planned().status, 0, planned().said);
  const configured = (await api('describe_virtual_cluster_configuration', {
    virtual_cluster_id,
  })) as unknown as {
    virtual_cluster_configuration: { default_num_partitions: number; is_auto_create_topic_enabled: boolean };
  };
  assert.equal(configured.virtual_cluster_configuration.default_num_partitions, 1, 'its default');
  assert.equal(configured.virtual_cluster_configuration.is_auto_create_topic_enabled, false);

  // What the state lost is imported again.
  assert.equal(run('state', 'rm', 'weir_topic.orders').status, 0);
  const imported = run('import', 'weir_topic.orders', `${virtual_cluster_id}/orders`);
  assert.equal(imported.status, 0, imported.said);
  apply();
  assert.equal(planned().status, 0, planned().said);

  // So are keys, which then have the rights of their configuration and no secret.
  const [agents] = await keysOf('shop_agents');
  for (const [address, id] of [
    ['weir_application_key.reports', reports!.id],
    ['weir_agent_key.shop', agents!.id],
  ] as const) {
    assert.equal(run('state', 'rm', address).status, 0);
    const taken = run('import', address, id);
    assert.equal(taken.status, 0, taken.said);
  }
  const afterImport = planned().said;
  assert.doesNotMatch(afterImport, /will be created|must be replaced/);
  apply();
  assert.deepEqual(
    (await keysOf('reports')).map(({ id }) => id),
    [reports!.id],
  );

  // A key never changes: with other rights it is another one.
  write(readFileSync(join(work, 'main.tf'), 'utf8').replace('read_records = true', 'read_audit_log = true'));
  apply();
  assert.equal(planned().status, 0, planned().said);
  const [replaced, ...others] = await keysOf('reports');
  assert.equal(others.length, 0);
  assert.notEqual(replaced!.id, reports!.id);
  assert.equal(replaced!.access_grants[0]!.managed_grant_name, 'read_audit_log');

  // What is refused is a message, and changes nothing.
  write(readFileSync(join(work, 'main.tf'), 'utf8').replace('= 16', '= 4'));
  const refused = run('apply', '-auto-approve', '-input=false');
  assert.equal(refused.status, 1);
  assert.match(refused.said, /Failed to change topic/);

  const destroyed = run('destroy', '-auto-approve', '-input=false');
  assert.equal(destroyed.status, 0, destroyed.said);
  const left = (await api('list_virtual_clusters')) as unknown as { virtual_clusters: { name: string }[] };
  assert.ok(!left.virtual_clusters.some(({ name }) => name.includes('shop')));
});
