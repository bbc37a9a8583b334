import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createClient } from '@weir/api';
import { systemClock } from '@weir/core';
import { signUpFirstUser } from '../brokers/first-user.ts';
import { type Acknowledged, startKafkajsWriter } from '../brokers/steady-writers.ts';
import { storedTopic } from '../brokers/stored.ts';
import { createTopic } from '../brokers/topics.ts';
import { lastFirst, startCluster, temporaryFolder, type WeirProcess } from '../brokers/weir-process.ts';
import { WeirCommand } from './weir-command.ts';

const topic = 'orders';
const partitionCount = 2;

/** Log files in a bucket on disk. */
function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => /\/[\da-f]{32}$/.test(name));
}

async function until(isDone: () => boolean, what: string): Promise<void> {
  const endMs = systemClock.monotonicMs() + 60_000;
  while (!isDone()) {
    if (systemClock.monotonicMs() > endMs) throw new Error(`not in time: ${what}`);
    await new Promise<void>((resolve) => systemClock.after(20, resolve));
  }
}

/** Every acknowledged record has the offset of its acknowledgement, as an agent shows it. */
async function assertStored(agent: WeirProcess, acknowledged: readonly Acknowledged[]): Promise<void> {
  const stored = await storedTopic(agent.address('Kafka'), topic, acknowledged.length);
  const valueAt = new Map<string, string>(
    stored.flatMap((batches, partition) =>
      batches.flatMap(({ records }) =>
        records.map(({ offset, value }) => [`${partition} ${offset}`, String(value)] as const),
      ),
    ),
  );
  for (const { value, partition, offset } of acknowledged)
    assert.equal(valueAt.get(`${partition} ${offset}`), value, `${partition} ${offset}`);
  assert.equal(valueAt.size, acknowledged.length);
}

test('the bucket of a cluster is changed under load, and back, without a lost record', async (t: TestContext) => {
  const lifetime = lastFirst(t);
  const folder = temporaryFolder(lifetime);
  const url = pathToFileURL(folder).href;
  const agent = { zone: 'zone-a', flags: ['-allowedBucketURLs', url] };
  const cluster = await startCluster(lifetime, { agents: [agent, agent], controlPlanes: 1 });
  const [plane] = cluster.controlPlanes as [WeirProcess];
  const baseUrl = plane.address('control plane');
  const cookie = await signUpFirstUser(plane);
  const client = createClient({ baseUrl, fetch, headers: { cookie, origin: baseUrl } });
  const nameBucket = (bucket_url: string | null) =>
    client.call('update_virtual_cluster_configuration', {
      virtual_cluster_id: cluster.clusterId,
      virtual_cluster_configuration: { bucket_url },
    });
  const servers = cluster.agents.map((running) => running.address('Kafka'));
  await createTopic(servers[0]!, topic, partitionCount);
  const writer = await startKafkajsWriter(lifetime, servers, topic, partitionCount);
  await writer.untilMore(50);
  const switches = ({ output }: WeirProcess) =>
    output.err.match(/switched bucket of new files/g)?.length ?? 0;
  let expected = 0;
  for (const named of [url, null, url]) {
    await nameBucket(named);
    expected++;
    await until(() => cluster.agents.every((running) => switches(running) === expected), `${named}`);
    await writer.untilMore(50);
  }
  const { acknowledged } = await writer.finish();
  assert.ok(filesIn(cluster.bucketFolder).length > 0);
  assert.ok(filesIn(folder).length > 0, 'files of the other bucket');
  for (const running of cluster.agents) await assertStored(running, acknowledged);
  // An agent that was started with the other bucket finds the first one.
  const flags = ['-bucketURL', url, '-allowedBucketURLs', pathToFileURL(cluster.bucketFolder).href];
  const late = await cluster.addAgent({ zone: 'zone-b', flags });
  await assertStored(late, acknowledged);
  // One whose operator allows neither keeps its bucket, and says so.
  const strict = await cluster.addAgent({ zone: 'zone-c' });
  await until(() => /failed to switch to configured bucket/.test(strict.output.err), 'the log line');
  const { entries } = await client.call('search_audit_log', {});
  const changes = entries.filter(({ operation }) => operation === 'update_virtual_cluster_configuration');
  assert.equal(changes.length, 3, 'every change is in the audit log');
});

test('a pair of buckets: new files go to the first, and agents with another pair are refused', async (t: TestContext) => {
  const lifetime = lastFirst(t);
  const folders = [temporaryFolder(lifetime), temporaryFolder(lifetime)];
  const [other, third] = folders.map((folder) => pathToFileURL(folder).href) as [string, string];
  const cluster = await startCluster(lifetime, { agents: [{ zone: 'zone-a' }], controlPlanes: 1 });
  const first = pathToFileURL(cluster.bucketFolder).href;
  const pair = (ingestion: string, compaction: string) => ({
    zone: 'zone-a',
    flags: ['-ingestionBucketURL', ingestion, '-compactionBucketURL', compaction],
  });
  const [single] = cluster.agents as [WeirProcess];
  await createTopic(single.address('Kafka'), topic, partitionCount);
  const before = await startKafkajsWriter(lifetime, [single.address('Kafka')], topic, partitionCount);
  await before.untilMore(10);
  const { acknowledged } = await before.finish();
  // The bucket before becomes the one for compacted files.
  const paired = await cluster.addAgent(pair(other, first));
  await assertStored(paired, acknowledged);
  await single.stop();
  const filesBefore = filesIn(cluster.bucketFolder).length;
  const after = await startKafkajsWriter(lifetime, [paired.address('Kafka')], topic, partitionCount);
  await after.untilMore(10);
  const more = (await after.finish()).acknowledged;
  await assertStored(paired, [...acknowledged, ...more]);
  assert.ok(filesIn(folders[0]!).length > 0);
  assert.equal(filesIn(cluster.bucketFolder).length, filesBefore);
  for (const [ingestion, compaction] of [
    [first, other],
    [third, first],
    [other, third],
  ] as const) {
    const wrong = new WeirCommand(lifetime, cluster.agentFlags(pair(ingestion, compaction)), {});
    assert.equal(await wrong.ended, 1, wrong.text);
    assert.match(
      wrong.text,
      /^weir agent: -ingestionBucketURL, -compactionBucketURL: not the pair of .* bki_\w+ and bki_\w+; .*$/m,
    );
  }
  const unknown = new WeirCommand(
    lifetime,
    cluster.agentFlags(pair(third, pathToFileURL(join(folders[1]!, 'x')).href)),
    {},
  );
  assert.equal(await unknown.ended, 1, unknown.text);
  assert.match(unknown.text, /^weir agent: -ingestionBucketURL: file:\S+ is not the bucket of .*$/m);
});
