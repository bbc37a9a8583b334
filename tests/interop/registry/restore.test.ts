import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { pause } from '../brokers/waiting.ts';
import { lastFirst, temporaryFolder, type WeirProcess } from '../brokers/weir-process.ts';
import { startControlPlane } from '../postgres/control-plane.ts';
import {
  ask,
  contentsOf,
  demand,
  registryAgentArgs,
  startRegistryAgent,
  startRegistryCluster,
} from './registry-cluster.ts';

const bin = join(import.meta.dirname, '../../../bin/weir');

const recordWith = (field: string) => ({
  schema: JSON.stringify({ type: 'record', name: 'R', fields: [{ name: field, type: 'int', default: 0 }] }),
});

async function register(agent: WeirProcess, subject: string, field: string): Promise<number> {
  const line = `POST /subjects/${encodeURIComponent(subject)}/versions`;
  return ((await demand(agent, line, recordWith(field))) as { id: number }).id;
}

/** Some of everything that a registry can have. */
async function fill(agent: WeirProcess): Promise<void> {
  for (const field of ['a', 'b', 'c']) await register(agent, 'orders', field);
  for (const field of ['a', 'd']) await register(agent, ':.eu:orders', field);
  await demand(agent, 'DELETE /subjects/orders/versions/2');
  await register(agent, 'gone', 'd');
  await demand(agent, 'DELETE /subjects/gone');
  // The last id is that of a schema that does not exist any more.
  await register(agent, 'removed', 'e');
  await demand(agent, 'DELETE /subjects/removed');
  await demand(agent, 'DELETE /subjects/removed?permanent=true');
  await demand(agent, 'PUT /config', { compatibility: 'FORWARD' });
  await demand(agent, 'PUT /config/orders', { compatibility: 'FULL', normalize: true });
  await demand(agent, 'PUT /config/:.eu:orders', { compatibility: 'NONE' });
  await register(agent, 'frozen', 'a');
  await demand(agent, 'PUT /mode/frozen', { mode: 'READONLY' });
}

test('a restore brings the registry back, and gives no id to two schemas', {
  timeout: 300_000,
}, async (t) => {
  const lifetime = lastFirst(t);
  const folder = temporaryFolder(lifetime);
  const bucket = ['-bucketURL', pathToFileURL(join(folder, 'bucket')).href];
  // A bucket in a directory is made by agents of Kafka clusters, of which there are none.
  mkdirSync(join(folder, 'bucket', '.weir-tmp'), { recursive: true });
  const oftenBackedUp = [...bucket, '-metadataBackupInterval', '1s'];
  const cluster = await startRegistryCluster(lifetime, {
    folder: join(folder, 'first'),
    controlPlaneFlags: oftenBackedUp,
  });
  const { clusterId } = cluster;
  /** Restores as soon as there is a backup. */
  const restore = async (dataDir: string): Promise<string> => {
    const args = ['control-plane', 'restore', ...oftenBackedUp, '-dataDir', dataDir];
    for (;;) {
      try {
        return (await promisify(execFile)(bin, [...args, '-defaultVirtualClusterID', clusterId])).stdout;
      } catch (error) {
        if (!/has no metadata backup/.test((error as { stderr?: string }).stderr ?? '')) throw error;
        await pause(200);
      }
    }
  };
  const startRestored = async (dataDir: string, flags: readonly string[]) => {
    const plane = await startControlPlane(lifetime, join(dataDir, 'weir.db'), dataDir, ...flags);
    const { agentKey } = JSON.parse(readFileSync(join(dataDir, 'identity.json'), 'utf8')) as {
      agentKey: string;
    };
    const args = registryAgentArgs([plane.address('control plane')], clusterId, agentKey);
    return { plane, agent: await startRegistryAgent(lifetime, args) };
  };

  const old = await cluster.addAgent();
  await fill(old);
  const before = await contentsOf(old);
  const second = join(folder, 'second');
  const complete = await restore(second);
  assert.match(complete, new RegExp(`^restored ${clusterId} as generation 1\n`, 'm'));
  assert.match(complete, /the previous control plane completed its backup and stopped/);
  assert.doesNotMatch(complete, /schemas /);
  const late = await ask(old, 'POST /subjects/orders/versions', recordWith('late'));
  assert.ok(late.status === 0 || late.status >= 500, 'the old control plane takes no more schemas');

  const rarely = [...bucket, '-metadataBackupInterval', '10m'];
  const moved = await startRestored(second, rarely);
  assert.deepEqual(await contentsOf(moved.agent), before);
  assert.equal((await ask(moved.agent, 'POST /subjects/frozen/versions', recordWith('b'))).status, 422);
  // 1, 2, 3 of orders, 4 of gone, 5 of removed.
  const lost = [await register(moved.agent, 'lost', 'f'), await register(moved.agent, 'lost', 'g')];
  assert.deepEqual(lost, [6, 7], 'ids go on where they were');
  assert.equal(await register(moved.agent, ':.us:lost', 'f'), 1);

  await moved.plane.kill();
  await moved.agent.kill();
  const third = join(folder, 'third');
  const incomplete = await restore(third);
  assert.match(incomplete, /^ +incomplete +.* acknowledged at or after the recovery point may be missing$/m);
  assert.match(incomplete, /^ {2}schemas +ids allocated after the recovery point are not reused/m);
  const { agent } = await startRestored(third, rarely);
  assert.deepEqual(await contentsOf(agent), before);
  assert.equal((await ask(agent, 'GET /schemas/ids/6')).status, 404);
  assert.equal(await register(agent, 'again', 'a'), 1, 'a schema that is there has its id');
  assert.deepEqual(
    [
      await register(agent, 'again', 'h'),
      await register(agent, 'lost', 'f'),
      await register(agent, ':.us:x', 'h'),
    ],
    [1_000_006, 1_000_007, 1_000_001],
  );
});
