import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runLine } from '../../testing/command-run.ts';
import { runningIn, serve } from '../../testing/served-command.ts';

const bounded = { timeout: 120_000 };

/** Writes a record, turns ACLs on, reads the record as the signed-in administrator, and looks into the audit log. */
async function assertReads(url: string, cookie: string, kafkaPort: string): Promise<void> {
  const call = async (name: string, input: object) => {
    const response = await fetch(`${url}/api/v1/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie, origin: url },
      body: JSON.stringify(input),
    });
    const text = await response.text();
    assert.equal(response.status, 200, `${name}: ${text}`);
    return JSON.parse(text) as Record<string, never>;
  };
  for (const line of ['create-topic -topic orders', 'produce -topic orders -records a,,b']) {
    const { status, err } = await runLine(`cli ${line} -bootstrap-port ${kafkaPort}`);
    assert.equal(status, 0, err);
  }
  const { virtual_clusters } = (await call('list_virtual_clusters', {})) as unknown as {
    virtual_clusters: { id: string; type: string }[];
  };
  const virtual_cluster_id = virtual_clusters.find(({ type }) => type === 'byoc')!.id;
  await call('update_virtual_cluster_configuration', {
    virtual_cluster_id,
    virtual_cluster_configuration: { are_acls_enabled: true },
  });
  const { records } = (await call('read_records', {
    virtual_cluster_id,
    topic_name: 'orders',
  })) as unknown as {
    records: { value: { text: string } }[];
  };
  assert.deepEqual(records.map(({ value }) => value.text).sort(), ['a', 'b']);
  const { entries } = (await call('search_audit_log', { operation: 'read_records' })) as unknown as {
    entries: { targets: string[]; read: { record_count: number } }[];
  };
  assert.deepEqual(
    entries.map(({ targets, read }) => [targets, read.record_count]),
    [[[virtual_cluster_id, 'orders'], 2]],
  );
}

const cookieOf = (response: Response) => response.headers.getSetCookie()[0]!.split(';')[0]!;

test(
  'in one process, an administrator reads records without a Kafka login where ACLs are on',
  bounded,
  async (t) => {
    const ports = ['-kafkaPort', '0', '-httpPort', '0', '-consolePort', '0', '-schemaRegistryPort', '0'];
    const found = await serve(runningIn(t), ['local', ...ports], /Ctrl-C/);
    const signedIn = await fetch(found(/sign in +(\S+)/), { redirect: 'manual' });
    await assertReads(found(/control plane +(\S+)/), cookieOf(signedIn), found(/Kafka +localhost:(\d+)/));
  },
);

test(
  'with the control plane and an agent apart, the agent reads for the administrator',
  bounded,
  async (t) => {
    const running = runningIn(t);
    const dataDir = mkdtempSync(join(tmpdir(), 'weir-records-'));
    running.defer(() => rmSync(dataDir, { recursive: true, force: true }));
    const clusterId = 'vci_0f1e2d3c_4b5a_4968_8776_0000000000a1';
    const identity = {
      SERVICE_AGENT_KEY: `aks_${'c0ffee'.repeat(11).slice(0, 64)}`,
      SERVICE_DEFAULT_VIRTUAL_CLUSTER_ID: clusterId,
    };
    const controlPlane = await serve(
      running,
      ['control-plane', '-consolePort', '0', '-bindAddress', '127.0.0.1', '-dataDir', dataDir],
      /signs up at \S+\n/,
      { environment: identity },
    );
    const setupUrl = new URL(controlPlane(/signs up at (\S+)/));
    const url = setupUrl.origin;
    const agent = await serve(
      running,
      [
        'agent',
        '-metadataURL',
        url,
        '-kafkaPort',
        '0',
        '-httpPort',
        '0',
        '-bucketURL',
        `mem://${clusterId}`,
        '-gracefulShutdownDuration',
        '0s',
        '-availabilityZone',
        'test',
        '-bindAddress',
        '127.0.0.1',
      ],
      /HTTP/,
      { environment: identity },
    );
    const setUp = await fetch(`${url}/api/v1/setup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify({
        token: setupUrl.hash.slice(1),
        account_name: 'Shop',
        email: 'ada@example.com',
        name: 'Ada',
        password: 'correct horse battery',
      }),
    });
    assert.equal(setUp.status, 200, await setUp.text());
    await assertReads(url, cookieOf(setUp), agent(/Kafka +127\.0\.0\.1:(\d+)/));
  },
);
