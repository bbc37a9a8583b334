import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createClient } from '@weir/api';
import { signUpFirstUser } from '../brokers/first-user.ts';
import { leaderOf } from '../brokers/leader-of.ts';
import { startKafkajsWriter } from '../brokers/steady-writers.ts';
import { recordsOf, storedTopic } from '../brokers/stored.ts';
import { createTopic } from '../brokers/topics.ts';
import { pause } from '../brokers/waiting.ts';
import { startWeir, type WeirProcess } from '../brokers/weir-process.ts';
import { postgresStage } from './control-plane.ts';

const topic = 'steady';
const partitionCount = 4;
const manyRecords = 200;

/**
 * Three regions over one PostgreSQL, each with a control plane and an agent, and a producer that knows agents of all.
 * Control plane and agent are killed of the region that leads, and then of the next one.
 */
test('a cluster over three regions goes on in the last one', {
  timeout: 600_000,
}, async (t: TestContext) => {
  const stage = await postgresStage(t);
  if (stage === undefined) return;
  const { lifetime, folder, start } = stage;
  const inRegion = (region: string) => ['-multiregion', '-region', region];
  const startPlane = (name: string, region: string) =>
    start(name, ...inRegion(region), '-regionGroups', 'three@east,west,north<>others@south,polar');
  const east = await startPlane('east', 'east');
  const { clusterId, agentKey } = JSON.parse(readFileSync(join(folder, 'east', 'identity.json'), 'utf8')) as {
    readonly clusterId: string;
    readonly agentKey: string;
  };
  const cookie = await signUpFirstUser(east);
  const clientOf = (plane: WeirProcess) => {
    const baseUrl = plane.address('control plane');
    return createClient({ baseUrl, fetch, headers: { cookie, origin: baseUrl } });
  };
  const group = async (plane: WeirProcess, virtual_cluster_id: string) => {
    const { virtual_cluster } = await clientOf(plane).call('describe_virtual_cluster', {
      virtual_cluster_id,
    });
    return virtual_cluster.cluster_region;
  };
  const untilMulti = async (plane: WeirProcess, id: string, isMulti: boolean) => {
    while ((await group(plane, id)).is_multi_region !== isMulti) await pause();
  };
  const made = await clientOf(east).call('create_virtual_cluster', {
    virtual_cluster_name: 'orders',
    virtual_cluster_region_group: 'three',
  });
  const { virtual_cluster_id: orders, agent_key: key } = made;
  assert.deepEqual(
    (await group(east, orders)).region_group?.regions.map(({ name }) => name),
    ['east', 'west', 'north'],
  );
  assert.equal((await group(east, orders)).is_multi_region, false, 'one region has a control plane');
  await assert.rejects(
    clientOf(east).call('create_virtual_cluster', {
      virtual_cluster_name: 'elsewhere',
      virtual_cluster_region_group: 'world',
    }),
    /The region group world does not exist; there are three, others\./,
  );

  const west = await startPlane('west', 'west');
  await untilMulti(east, orders, true);
  const north = await startPlane('north', 'north');
  assert.equal((await group(east, clusterId)).is_multi_region, false, 'it is in no group');
  assert.ok(agentKey.length > 0);

  const startAgent = async (region: string, planes: readonly WeirProcess[]) => {
    const agent = await startWeir(
      [
        ...['agent', '-metadataURL', planes.map((plane) => plane.address('control plane')).join(',')],
        ...['-defaultVirtualClusterID', orders, '-agentKey', key!.key, ...inRegion(region)],
        ...['-bucketURL', pathToFileURL(join(folder, 'bucket')).href, '-availabilityZone', `${region}-a`],
        ...['-kafkaPort', '0', '-httpPort', '0', '-bindAddress', '127.0.0.1'],
        ...['-gracefulShutdownDuration', '5s'],
      ],
      ['Kafka', 'HTTP'],
    );
    lifetime.after(() => agent.stop());
    return agent;
  };
  const inEast = await startAgent('east', [east, west]);
  // It learns of the leader in the other region from the control plane of its own.
  const inWest = await startAgent('west', [west]);
  const inNorth = await startAgent('north', [north]);
  const { agents } = await clientOf(west).call('list_agents', { virtual_cluster_id: orders });
  assert.deepEqual(agents.map(({ region }) => region).sort(), ['east', 'north', 'west']);

  const regions = [
    { plane: east, agent: inEast },
    { plane: west, agent: inWest },
    { plane: north, agent: inNorth },
  ];
  /** On a busy machine the lease may have passed to another region meanwhile. */
  const loseLeadingRegion = async () => {
    const leader = await leaderOf(
      regions.map(({ plane }) => plane),
      orders,
    );
    const [{ plane, agent }] = regions.splice(leader, 1) as [(typeof regions)[number]];
    await Promise.all([plane.kill(), agent.kill()]);
    await writer.untilMore(manyRecords);
  };
  const servers = regions.map(({ agent }) => agent.address('Kafka'));
  await createTopic(servers[0]!, topic, partitionCount);
  const writer = await startKafkajsWriter(lifetime, servers, topic, partitionCount);
  await writer.untilMore(manyRecords);
  await loseLeadingRegion();
  assert.equal((await group(regions[0]!.plane, orders)).is_multi_region, true, 'another region may be lost');
  await loseLeadingRegion();
  const [last] = regions as [(typeof regions)[number]];
  assert.equal(await leaderOf([last.plane], orders), 0);
  await untilMulti(last.plane, orders, false);

  const { acknowledged, failed } = await writer.finish();
  assert.deepEqual(failed, []);

  const stored = await storedTopic(last.agent.address('Kafka'), topic, acknowledged.length);
  const found = stored.map((batches) => recordsOf(batches));
  for (const { value, partition, offset } of acknowledged) {
    assert.equal(String(found[partition]![offset]?.value), value, `partition ${partition} at ${offset}`);
  }
  const values = found.flatMap((records) => records.map(({ value }) => String(value)));
  assert.equal(new Set(values).size, values.length, 'nothing is there twice');
  assert.equal(values.length, acknowledged.length, 'nothing is there that was not acknowledged');
});
