import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createClient } from '@weir/api';
import { systemClock } from '@weir/core';
import { lastFirst, startLocal, temporaryFolder } from '../brokers/weir-process.ts';
import { allClients, atOnce, bounded } from './all-clients.ts';
import { kafkajsClient, type Login, refusedTriesMs, type Way } from './foreign-clients.ts';
import { SecretFiles } from './secured.ts';

/** A password is rotated while third-party clients log in by PLAIN, by SCRAM and over HTTP. */
const lifetime = lastFirst({ after });
const { clients } = allClients(lifetime, await SecretFiles.make(lifetime));
const HOME = temporaryFolder(lifetime);
const local = await startLocal(lifetime, ['-requireSASLAuthentication', '-schemaRegistryBasicAuthEnabled'], {
  HOME,
});
const running = join(HOME, '.weir', 'running', `${local.pid}.json`);
const { applicationKey } = JSON.parse(readFileSync(running, 'utf8')) as { applicationKey: string };
const api = createClient({
  baseUrl: local.address('control plane'),
  fetch,
  headers: { 'service-api-key': applicationKey },
});
const { virtual_clusters } = await api.call('list_virtual_clusters', {});
const cluster = { virtual_cluster_id: virtual_clusters.find(({ type }) => type === 'byoc')!.id };

const mechanisms = ['PLAIN', 'SCRAM-SHA-512'] as const;
const values = ['one', 'two'];
let topicCount = 0;

const {
  id,
  username,
  password: first,
} = await api.call('create_virtual_cluster_credentials', {
  ...cluster,
  credentials_name: 'shop',
});
const { password: second } = await api.call('rotate_virtual_cluster_credentials', { ...cluster, id });

async function statusOverHttp(password: string): Promise<number> {
  const basic = Buffer.from(`${username}:${password}`).toString('base64');
  const headers = { authorization: `Basic ${basic}` };
  return (await fetch(`${local.address('registry')}/subjects`, { headers })).status;
}

/** Agents learn of passwords within a moment. */
async function untilStatus(password: string, status: number): Promise<void> {
  while ((await statusOverHttp(password)) !== status)
    await new Promise<void>((resolve) => systemClock.after(50, resolve));
}

const oldUse = async () => {
  const { credentials } = await api.call('list_virtual_cluster_credentials', cluster);
  return credentials.find((credential) => credential.id === id)!.old_password;
};

describe('clients log in with either password', atOnce, () => {
  for (const client of clients) {
    for (const mechanism of mechanisms) {
      for (const [which, password] of Object.entries({ old: first, new: second })) {
        const login: Login = { mechanism, user: username, password };
        const what = `${client.label} logs in by ${mechanism} with the ${which} password`;
        test(what, { ...bounded, skip: client.cannot({ login }) }, async () => {
          await untilStatus(second, 200);
          const broker = local.address('Kafka');
          assert.deepEqual(await client.writeAndRead(broker, { login }, `t${topicCount++}`, values), values);
        });
      }
    }
  }
});

test('the old password ends at once for new logins, and until then its use is known', bounded, async () => {
  assert.equal(await statusOverHttp(first), 200);
  while ((await oldUse())!.last_used_at === null)
    await new Promise<void>((resolve) => systemClock.after(200, resolve));
  await api.call('end_virtual_cluster_credentials_rotation', { ...cluster, id });
  assert.equal(await oldUse(), null);
  await untilStatus(first, 401);
  assert.equal(await statusOverHttp(second), 200);
  for (const mechanism of mechanisms) {
    const wayOf = (password: string): Way => ({
      login: { mechanism, user: username, password },
      triesMs: refusedTriesMs,
    });
    const broker = local.address('Kafka');
    await assert.rejects(kafkajsClient.writeAndRead(broker, wayOf(first), `t${topicCount++}`, values));
    assert.deepEqual(
      await kafkajsClient.writeAndRead(broker, wayOf(second), `t${topicCount++}`, values),
      values,
    );
  }
});
