/**
 * The provider for OpenTofu and Terraform: the configurations of docs/guides/terraform.md are applied to a control
 * plane, read by all data sources, changed by other means, imported and destroyed.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock, systemEnvironment } from '@weir/core';
import { signUpFirstUser } from '../../brokers/first-user.ts';
import { lastFirst, startWeir, temporaryFolder } from '../../brokers/weir-process.ts';
import { buildGoModule } from '../../go/programs.ts';
import { blocksOf } from '../../readme/blocks.ts';
import { hasProgram } from './isolated-root.ts';

const root = join(import.meta.dirname, '../../../..');
const tool = ['tofu', 'terraform'].find(hasProgram);
const provider = buildGoModule('terraform-provider-weir', '.', join(root, 'deploy/terraform/provider'));
const skip = tool === undefined ? 'neither OpenTofu nor Terraform is installed' : provider.missing;
const limits = { skip, timeout: 300_000 };

const [ofClusters, ofAccount, ...more] = blocksOf(
  readFileSync(join(root, 'docs/guides/terraform.md'), 'utf8'),
).filter(({ language }) => language === 'hcl');
assert.deepEqual(more, []);

interface Named {
  readonly id: string;
  readonly name: string;
}

type Key = Named & { readonly access_grants: Record<string, string>[] };
type Call = <Answer = Record<string, never>>(operation: string, input?: object) => Promise<Answer>;
type Settings = Readonly<Record<string, string>>;

/** A control plane, calls of its API with a key, and folders with configurations that the tool applies with a key. */
async function startPlane(t: TestContext) {
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
  const identityText = () => (existsSync(identity) ? readFileSync(identity, 'utf8').trimEnd() : '');
  while (!identityText().endsWith('}')) await new Promise<void>((resolve) => systemClock.after(20, resolve));
  const { accountKey } = JSON.parse(identityText()) as { accountKey: string };
  const apiOf =
    (apiKey: string): Call =>
    async (operation, input = {}) => {
      const ask = () =>
        fetch(`${url}/api/v1/${operation}`, {
          method: 'POST',
          // While the tool runs, nothing here sees that the control plane closed a connection which was kept.
          headers: { 'service-api-key': apiKey, 'content-type': 'application/json', connection: 'close' },
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
  return {
    plane,
    accountKey,
    apiOf,
    workIn: (apiKey: string, variables: Settings = {}) =>
      workFolder(join(folder, 'work'), { SERVICE_API_URL: url, SERVICE_API_KEY: apiKey, ...variables }),
  };
}

/** A folder with configurations. */
function workFolder(folder: string, variables: Settings = {}) {
  mkdirSync(folder);
  const settings = join(folder, 'tool.rc');
  writeFileSync(
    settings,
    `provider_installation {\n  dev_overrides { "weir/weir" = "${dirname(provider.program)}" }\n  direct {}\n}\n`,
  );
  const run = (...args: string[]) => {
    const { PATH } = systemEnvironment;
    const { status, stdout, stderr } = spawnSync(tool!, [...args, '-no-color'], {
      cwd: folder,
      env: { PATH, HOME: folder, TF_CLI_CONFIG_FILE: settings, CHECKPOINT_DISABLE: '1', ...variables },
      encoding: 'utf8',
    });
    return { status, said: `${stdout}${stderr}`, stdout };
  };
  const succeed = (...args: string[]) => {
    const { status, said, stdout } = run(...args);
    assert.equal(status, 0, said);
    return { said, stdout };
  };
  /** Status 0 if nothing is to do, 2 if something is. */
  const planned = () => run('plan', '-detailed-exitcode', '-input=false', '-lock=false');
  const inFolder = (name = 'main.tf') => join(folder, name);
  const write = (text: string, name?: string) => writeFileSync(inFolder(name), text);
  const assertNothingToDo = () => {
    const { status, said } = planned();
    assert.equal(status, 0, said);
  };
  const apply = () => succeed('apply', '-auto-approve', '-input=false').said;
  return {
    run,
    planned,
    write,
    apply,
    assertNothingToDo,
    change: (from: string, to: string) => {
      const before = readFileSync(inFolder(), 'utf8');
      assert.ok(before.includes(from), from);
      write(before.replace(from, to));
    },
    destroy: () => succeed('destroy', '-auto-approve', '-input=false'),
    /** What data sources found, as the value of an object of expressions. */
    found: <Found>(text: string): Found => {
      write(text, 'sources.tf');
      apply();
      assertNothingToDo();
      const { stdout } = succeed('output', '-json', 'found');
      rmSync(inFolder('sources.tf'));
      return JSON.parse(stdout) as Found;
    },
    /** Loses resources from the state and imports them: none is made or destroyed, and afterwards nothing is to do. */
    importAgain: (ids: Readonly<Record<string, string>>) => {
      const { stdout } = succeed('state', 'list');
      const inState = stdout.split('\n').filter((address) => address !== '' && !address.startsWith('data.'));
      assert.deepEqual(inState.sort(), Object.keys(ids).sort(), 'every resource is imported');
      succeed('state', 'rm', ...inState);
      const blocks = Object.entries(ids).map(([to, id]) => `import {\n  to = ${to}\n  id = "${id}"\n}\n`);
      write(blocks.join('\n'), 'imports.tf');
      const said = apply();
      assert.match(said, new RegExp(`${inState.length} imported, 0 added, \\d+ changed, 0 destroyed`), said);
      rmSync(inFolder('imports.tf'));
      assertNothingToDo();
    },
  };
}

/** What a plan says about resources, by their addresses. */
function assertPlanned({ status, said }: { status: number | null; said: string }, expected: Settings): void {
  assert.equal(status, 2, said);
  const about = [...said.matchAll(/^ +# (weir_\S+) (will be|must be) (.+)$/gm)];
  assert.deepEqual(Object.fromEntries(about.map(([, address, , what]) => [address, what])), expected, said);
}

test('clusters and what belongs to them', limits, async (t) => {
  const { accountKey, apiOf, workIn } = await startPlane(t);
  const all = { resource_kind: '*', resource_id: '*', workspace_id: '', managed_grant_name: '' };
  const { key } = await apiOf(accountKey)<{ key: string }>('create_api_key', {
    name: 'operator',
    access_grants: [{ principal_kind: 'app', ...all }],
  });
  const api = apiOf(key);
  const { run, planned, write, apply, assertNothingToDo, change, destroy, found, importAgain } = workIn(key);

  write(ofClusters!.text);
  apply();
  assertNothingToDo();
  const clusters = async () => {
    const { virtual_clusters } = await api<{ virtual_clusters: Named[] }>('list_virtual_clusters');
    return Object.fromEntries(virtual_clusters.map(({ id, name }) => [name, id]));
  };
  const {
    vcn_shop: virtual_cluster_id,
    vcn_sr_shop_schemas: registry,
    vcn_dl_shop_lake: lake,
  } = await clusters();
  assert.ok(virtual_cluster_id && registry && lake);
  const topic = { virtual_cluster_id, topic_name: 'orders' };
  const described = await api<{ partition_count: number; configs: Settings }>('describe_topic', topic);
  assert.deepEqual([described.partition_count, described.configs['cleanup.policy']], [12, 'compact']);
  const { acls } = await api<{ acls: Record<string, string>[] }>('virtual_clusters/acls/list', {
    virtual_cluster_id,
  });
  assert.equal(acls.length, 2);
  const { status, said } = run('output', '-raw', 'agent_key');
  assert.deepEqual([status, /^aks_\w+$/.test(said.trim())], [0, true], said);

  const keysOf = async (name: string) => {
    const { api_keys } = await api<{ api_keys: Key[] }>('list_api_keys');
    return api_keys.filter((one) => one.name === `akn_${name}`);
  };
  const [reports] = await keysOf('reports');
  assert.deepEqual(
    reports!.access_grants.map((grant) => [grant.principal_kind, grant.managed_grant_name]),
    [['app_r', 'read_records']],
  );
  const pipelineOf = async (cluster: string) => {
    const { pipelines } = await api<{ pipelines: Named[] }>('list_pipelines', {
      virtual_cluster_id: cluster,
    });
    return pipelines[0]!.id;
  };
  const tables = { virtual_cluster_id: lake, pipeline_id: await pipelineOf(lake) };
  const configurations = async () => {
    const { pipeline_configurations } = await api<{
      pipeline_configurations: { configuration_yaml: string; configuration_inputs?: { name: string }[] }[];
    }>('describe_pipeline', tables);
    return pipeline_configurations;
  };
  assert.deepEqual(
    (await configurations()).map(({ configuration_inputs }) => configuration_inputs?.map(({ name }) => name)),
    [['clusters', 'orders']],
  );
  const federations = async () => {
    const { workload_identity_federations } = await api<{
      workload_identity_federations: (Named & { max_credential_ttl_seconds: number })[];
    }>('list_workload_identity_federations', { virtual_cluster_id });
    return workload_identity_federations;
  };
  assert.equal((await federations())[0]!.max_credential_ttl_seconds, 3600);

  // By other means.
  await api('update_topic', { ...topic, partition_count: 16, configs: {} });
  await api('virtual_clusters/acls/delete', { virtual_cluster_id, acls: [acls[0]] });
  await api('update_virtual_cluster_tags', { virtual_cluster_id, tags: { team: 'other' } });
  await api('rename_virtual_cluster', { virtual_cluster_id: registry, new_virtual_cluster_name: 'other' });
  await api('rename_virtual_cluster', { virtual_cluster_id: lake, new_virtual_cluster_name: 'other' });
  await api('delete_api_key', { api_key_id: reports!.id });
  await api('delete_api_key', { api_key_id: (await keysOf('shop_agents'))[0]!.id });
  await api('update_client_metrics_subscriptions', {
    virtual_cluster_id,
    client_metrics_subscriptions: [{ name: 'latencies', interval_ms: 1000 }],
  });
  await api('delete_workload_identity_federation', {
    virtual_cluster_id,
    id: (await federations())[0]!.id,
  });
  const { configuration_id } = await api<{ configuration_id: string }>('create_pipeline_configuration', {
    ...tables,
    configuration_yaml: (await configurations())[0]!.configuration_yaml,
  });
  await api('change_pipeline_state', { ...tables, deployed_configuration_id: configuration_id });
  await api('change_pipeline_state', {
    virtual_cluster_id,
    pipeline_id: await pipelineOf(virtual_cluster_id),
    desired_state: 'running',
  });
  const differences = planned();
  assert.match(differences.said, /partition_count +=/);
  assertPlanned(differences, {
    [`weir_acl.orders["${acls[0]!.operation}"]`]: 'created',
    'weir_agent_key.shop': 'created',
    'weir_application_key.reports': 'created',
    'weir_client_metrics_subscription.latencies': 'updated in-place',
    'weir_pipeline.copy': 'updated in-place',
    'weir_pipeline.tables': 'updated in-place',
    'weir_schema_registry.schemas': 'updated in-place',
    'weir_tableflow_cluster.lake': 'updated in-place',
    'weir_topic.orders': 'updated in-place',
    'weir_virtual_cluster.shop': 'updated in-place',
    'weir_workload_identity_federation.production': 'created',
  });

  change('= 12', '= 16');
  change('default_num_partitions   = 6', '');
  change('team = "billing"', 'team = "orders"');
  change('events = { enabled = true }', 'events = { enabled = false }');
  change('source_topic: orders', 'source_topic: payments');
  change('  metrics            = "org.apache.kafka.producer."\n', '');
  change('name = "shop_lake"', 'name = "shop_lake"\n  cloud = { provider = "aws", region = "us-east-1" }');
  assert.match(planned().said, /# weir_tableflow_cluster.lake must be replaced/, 'a place is fixed');
  change('region = "us-east-1"', 'region = "eu-west-1"');
  apply();
  assertNothingToDo();
  const { virtual_cluster_configuration: configured } = await api<{
    virtual_cluster_configuration: { default_num_partitions: number; is_auto_create_topic_enabled: boolean };
  }>('describe_virtual_cluster_configuration', { virtual_cluster_id });
  assert.equal(configured.default_num_partitions, 1, 'its default');
  assert.equal(configured.is_auto_create_topic_enabled, false);
  const { subscriptions } = await api<{ subscriptions: object[] }>('list_client_metrics_subscriptions', {
    virtual_cluster_id,
  });
  assert.deepEqual(subscriptions, [{ name: 'latencies', interval_ms: 60_000 }]);

  const { vcn_sr_shop_schemas, vcn_dl_shop_lake: newLake } = await clusters();
  assert.equal(vcn_sr_shop_schemas, registry);
  assert.notEqual(newLake, lake);
  const [agents] = await keysOf('shop_agents');
  const [federation] = await federations();

  const { account, workspaces } = await api<{ account: Named; workspaces: Named[] }>('get_context');
  const [workspace] = workspaces;
  const sources = found<{
    account: Named;
    workspace: Named;
    clusters: { name: string; type: string }[];
    byName: Named & { configuration: Record<string, unknown>; tags: Settings; type: string };
    byId: Named;
    registry: Named;
    lake: { id: string; cloud: Settings };
    subscriptions: object[];
    agents: (Key & { virtual_cluster_id: string; read_only: boolean })[];
    applications: (Key & { read_only: boolean })[];
  }>(`
    data "weir_account" "all" {}
    data "weir_workspace" "all" { name = "${workspace!.name}" }
    data "weir_virtual_clusters" "all" { workspace_id = data.weir_workspace.all.id }
    data "weir_virtual_cluster" "by_name" { name = "shop" }
    data "weir_virtual_cluster" "by_id" { id = weir_virtual_cluster.shop.id }
    data "weir_schema_registry" "all" { name = "vcn_sr_shop_schemas" }
    data "weir_tableflow_cluster" "all" { name = "shop_lake" }
    data "weir_client_metrics_subscriptions" "all" { virtual_cluster_id = weir_virtual_cluster.shop.id }
    data "weir_agent_keys" "all" { virtual_cluster_id = weir_virtual_cluster.shop.id }
    data "weir_application_keys" "all" {}
    output "found" {
      value = {
        account       = data.weir_account.all
        workspace     = data.weir_workspace.all
        clusters      = data.weir_virtual_clusters.all.virtual_clusters
        byName        = data.weir_virtual_cluster.by_name
        byId          = data.weir_virtual_cluster.by_id
        registry      = data.weir_schema_registry.all
        lake          = data.weir_tableflow_cluster.all
        subscriptions = data.weir_client_metrics_subscriptions.all.client_metrics_subscriptions
        agents        = data.weir_agent_keys.all.agent_keys
        applications  = data.weir_application_keys.all.application_keys
      }
    }`);
  assert.deepEqual(sources.account, account);
  assert.equal(sources.workspace.id, workspace!.id);
  const ours = sources.clusters.filter(({ name }) => name.startsWith('shop'));
  assert.deepEqual(
    ours.map(({ name, type }) => [name, type]),
    [
      ['shop_lake', 'byoc_data_lake'],
      ['shop', 'byoc'],
      ['shop_schemas', 'byoc_schema_registry'],
    ],
  );
  assert.deepEqual(sources.byId, sources.byName);
  assert.deepEqual([sources.byName.id, sources.byName.type], [virtual_cluster_id, 'byoc']);
  assert.deepEqual(sources.byName.tags, { team: 'orders' });
  assert.equal(sources.byName.configuration.default_num_partitions, 1);
  assert.equal(sources.byName.configuration.default_retention_millis, 604_800_000);
  assert.equal(sources.byName.configuration.enable_acls, true);
  assert.deepEqual([sources.registry.id, sources.registry.name], [registry, 'vcn_sr_shop_schemas']);
  assert.equal(sources.lake.id, newLake);
  assert.deepEqual(sources.lake.cloud, { provider: 'aws', region: 'eu-west-1', region_group: null });
  assert.deepEqual(sources.subscriptions, [
    { name: 'latencies', interval_ms: 60_000, metrics: null, match: null },
  ]);
  assert.deepEqual(
    sources.agents.map(({ id, name, read_only, virtual_cluster_id: of }) => [id, name, read_only, of]),
    [[agents!.id, 'shop_agents', false, virtual_cluster_id]],
  );
  assert.deepEqual(
    sources.applications
      .filter(({ name }) => name === 'reports')
      .map(({ read_only, access_grants }) => [read_only, access_grants]),
    [[true, [{ workspace_id: workspace!.id, grant_type: 'read_records' }]]],
  );

  const { credentials } = await api<{ credentials: Named[] }>('list_virtual_cluster_credentials', {
    virtual_cluster_id,
  });
  const [{ id: reportsId }] = (await keysOf('reports')) as [Key];
  importAgain({
    'weir_virtual_cluster.shop': virtual_cluster_id,
    'weir_schema_registry.schemas': registry,
    'weir_tableflow_cluster.lake': newLake!,
    'weir_topic.orders': `${virtual_cluster_id}/orders`,
    ...Object.fromEntries(
      ['READ', 'WRITE'].map((operation) => [
        `weir_acl.orders["${operation}"]`,
        `${virtual_cluster_id}/TOPIC/orders/LITERAL/${acls[0]!.principal}/*/${operation}/ALLOW`,
      ]),
    ),
    'weir_virtual_cluster_credentials.orders': `${virtual_cluster_id}/${credentials[0]!.id}`,
    'weir_client_metrics_subscription.latencies': `${virtual_cluster_id}/latencies`,
    'weir_agent_key.shop': agents!.id,
    'weir_workload_identity_federation.production': `${virtual_cluster_id}/${federation!.id}`,
    'weir_application_key.reports': reportsId,
    'weir_pipeline.copy': `${virtual_cluster_id}/${await pipelineOf(virtual_cluster_id)}`,
    'weir_pipeline.tables': `${newLake}/${await pipelineOf(newLake!)}`,
  });

  // A key never changes: with other rights it is another one.
  change('read_records = true', 'read_audit_log = true');
  apply();
  assertNothingToDo();
  const [replaced, ...others] = await keysOf('reports');
  assert.equal(others.length, 0);
  assert.notEqual(replaced!.id, reportsId);
  assert.equal(replaced!.access_grants[0]!.managed_grant_name, 'read_audit_log');

  // What is refused is a message, and changes nothing.
  change('= 16', '= 4');
  write(
    `resource "weir_client_metrics_subscription" "again" {
      virtual_cluster_id = weir_virtual_cluster.shop.id
      name               = "latencies"
      interval_ms        = 100
    }`,
    'again.tf',
  );
  const refused = run('apply', '-auto-approve', '-input=false');
  assert.equal(refused.status, 1);
  assert.match(refused.said, /Failed to change topic/);
  assert.match(refused.said, /has a subscription with this name/);

  destroy();
  assert.ok(!Object.keys(await clusters()).some((name) => name.includes('shop')));
  assert.equal((await keysOf('reports')).length, 0);
});

test('what belongs to the account', limits, async (t) => {
  const { plane, accountKey, apiOf, workIn } = await startPlane(t);
  const api = apiOf(accountKey);
  // It is answered when the control plane serves.
  await api('get_context');
  // Roles do not change while no administrator could sign in.
  await signUpFirstUser(plane);
  // It uses the connection of the sign-up, and closes it.
  await api('get_context');
  const { write, apply, assertNothingToDo, planned, change, destroy, found, importAgain } = workIn(
    accountKey,
    {
      TF_VAR_client_secret: 'secret of the client',
    },
  );
  write(ofAccount!.text);
  apply();
  assertNothingToDo();

  const workspaceOf = async (name: string) => {
    const { workspaces } = await api<{ workspaces: Named[] }>('list_workspaces');
    return workspaces.find((one) => one.name === name)?.id;
  };
  const roleOf = async (name: string) => {
    const { user_roles } = await api<{ user_roles: Key[] }>('list_user_roles');
    return user_roles.find((one) => one.name === name);
  };
  const connection = async () => {
    const { sso_configuration } = await api<{
      sso_configuration: { id: string; client_id: string; role_claim: string; callback_url: string } | null;
    }>('get_sso_configuration');
    return sso_configuration;
  };
  const workspace_id = (await workspaceOf('Analytics'))!;
  const role = (await roleOf('Analysts'))!;
  assert.deepEqual(
    role.access_grants.map((grant) => [grant.workspace_id, grant.managed_grant_name]),
    [[workspace_id, 'read_records']],
  );
  const { id: sso_connection_id, role_claim, callback_url } = (await connection())!;
  assert.equal(role_claim, 'groups');

  const sources = found<{
    workspace: Named;
    role: { id: string; access_grants: object[] };
    keys: Named[];
    connection: Record<string, unknown>;
  }>(`
    data "weir_workspace" "all" { id = weir_workspace.analytics.id }
    data "weir_user_role" "all" { id = weir_user_role.analysts.id }
    data "weir_application_keys" "all" { workspace_id = weir_workspace.analytics.id }
    data "weir_sso_configuration" "all" {}
    output "found" {
      value = {
        workspace  = data.weir_workspace.all
        role       = data.weir_user_role.all
        keys       = data.weir_application_keys.all.application_keys
        connection = data.weir_sso_configuration.all
      }
    }`);
  assert.deepEqual([sources.workspace.id, sources.workspace.name], [workspace_id, 'Analytics']);
  assert.deepEqual(sources.role.access_grants, [{ workspace_id, grant_type: 'read_records' }]);
  const [key, ...otherKeys] = sources.keys;
  assert.deepEqual([key!.name, otherKeys], ['analytics', []]);
  assert.deepEqual(
    [sources.connection.id, sources.connection.callback_url, sources.connection.enable_sso_role_mapping],
    [sso_connection_id, callback_url, true],
  );
  assert.equal(sources.connection.client_secret, undefined);

  // By other means.
  await api('rename_workspace', { workspace_id, new_workspace_name: 'Other' });
  await api('update_user_role', { user_role_id: role.id, new_user_role_name: 'Analysts', access_grants: [] });
  await api('update_sso_configuration', { sso_connection_id, role_claim: 'roles' });
  await api('delete_api_key', { api_key_id: key!.id });
  assertPlanned(planned(), {
    'weir_application_key.analytics': 'created',
    'weir_sso_configuration.company': 'updated in-place',
    'weir_user_role.analysts': 'updated in-place',
    'weir_workspace.analytics': 'updated in-place',
  });
  change('"Analysts"', '"Analytics readers"');
  change('client_id               = "weir"', 'client_id               = "weir_console"');
  apply();
  assertNothingToDo();
  const renamed = (await roleOf('Analytics readers'))!;
  assert.deepEqual([renamed.id, renamed.access_grants.length], [role.id, 1]);
  assert.equal(await workspaceOf('Analytics'), workspace_id);
  const changed = (await connection())!;
  assert.deepEqual(
    [changed.id, changed.client_id, changed.role_claim],
    [sso_connection_id, 'weir_console', 'groups'],
  );

  const { api_keys } = await api<{ api_keys: Key[] }>('list_api_keys', { workspace_id });
  importAgain({
    'weir_workspace.analytics': workspace_id,
    'weir_application_key.analytics': api_keys[0]!.id,
    'weir_user_role.analysts': role.id,
    'weir_sso_configuration.company': sso_connection_id,
  });

  destroy();
  assert.deepEqual(
    [await workspaceOf('Analytics'), await roleOf('Analytics readers'), await connection()],
    [undefined, undefined, null],
  );
});

test('of attributes that exclude each other, one is given', limits, (t) => {
  const { run, write } = workFolder(join(temporaryFolder(lastFirst(t)), 'work'));
  const header = ofClusters!.text.slice(0, ofClusters!.text.indexOf('resource'));
  const pipeline = 'virtual_cluster_id = "x"\n  name = "x"\n  type = "data_lake"\n  state = "paused"';
  for (const wrong of [
    'data "weir_workspace" "one" {}',
    'data "weir_user_role" "one" {\n  id = "x"\n  name = "x"\n}',
    `resource "weir_pipeline" "one" {\n  ${pipeline}\n}`,
    `resource "weir_pipeline" "one" {\n  ${pipeline}\n  configuration_yaml = ""\n  configuration_inputs = []\n}`,
  ]) {
    write(`${header}\n${wrong}\n`);
    const { status, said } = run('validate');
    assert.equal(status, 1, said);
    assert.match(said, /give one of (id and name|configuration_yaml and configuration_inputs)/);
  }
});
