import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createBucket } from '@weir/storage';
import { createTopic } from '../brokers/topics.ts';
import { lastFirst, startCluster, temporaryFolder } from '../brokers/weir-process.ts';
import { WeirCommand } from './weir-command.ts';

const agent = { zone: 'zone-a' };

/** Agents of one cluster with the same bucket, and with different ones. */
test('an agent with another bucket than its cluster ends with one line and status 1', async (t: TestContext) => {
  const lifetime = lastFirst(t);
  const other = temporaryFolder(lifetime);
  const cluster = await startCluster(lifetime, { agents: [agent, agent], controlPlanes: 1 });
  const refusal = new RegExp(
    `^weir agent: -bucketURL: file://\\S+ is not the bucket of ${cluster.clusterId}, whose id is bki_\\w+ \\(\\S+ is missing\\); start the agent with .*$`,
    'm',
  );
  const flags = ['-bucketURL', pathToFileURL(other).href];
  await createBucket(pathToFileURL(other).href);
  for (const processes of ['1', '2']) {
    const wrong = new WeirCommand(
      lifetime,
      cluster.agentFlags({ ...agent, flags: [...flags, '-processes', processes] }),
      {},
    );
    assert.equal(await wrong.ended, 1, wrong.text);
    assert.match(wrong.text, refusal);
  }
  assert.deepEqual(
    readdirSync(other, { recursive: true }).filter((name) => String(name).endsWith('bucket-id')),
    [],
  );

  // An emptied bucket is not accepted as a new one.
  rmSync(join(cluster.bucketFolder, 'service', cluster.clusterId, 'bucket-id'));
  const emptied = new WeirCommand(lifetime, cluster.agentFlags(agent), {});
  assert.equal(await emptied.ended, 1, emptied.text);
  assert.match(emptied.text, refusal);
  // Running agents are not affected.
  await createTopic(cluster.agents[0]!.address('Kafka'), 'orders', 1);
});
