import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestStore } from '@weir/broker/testing';
import { Metrics, MiB, seededRandom, silentLog, systemClock } from '@weir/core';
import { TestCluster } from '@weir/metadata/testing';
import { startDataLakeAgent } from './data-lake-agent.ts';
import type { DataLakeAgentOptions } from './data-lake-agent-options.ts';

type Lifetime = { after(run: () => Promise<void>): void };

async function start(t: Lifetime, differences: Partial<DataLakeAgentOptions> = {}) {
  const cluster = new TestCluster();
  const agent = await startDataLakeAgent({
    clusterId: cluster.clusterId,
    agentId: 'lake-agent',
    group: '',
    zone: 'zone-a',
    roles: ['proxy', 'jobs'],
    host: '127.0.0.1',
    httpPort: 0,
    advertisedHost: '127.0.0.1',
    servesMetrics: true,
    cluster,
    store: new TestStore(),
    flush: { windowMs: 0, uncompressedBytesMax: 64 * MiB, compressedBytesMax: MiB },
    recordBytesMax: 32 * MiB,
    fetchRequestBytesMax: 256 * MiB,
    fetchPartitionBytesMax: 256 * MiB,
    pageCacheBytesMax: 16 * MiB,
    readahead: false,
    bufferedBytesMax: 64 * MiB,
    idleConnectionMs: 3_600_000,
    highCpuPercent: 98,
    metadataRequestsPerCpu: 16,
    defaultStrategy: 'consistent_spread',
    cpuCount: 1,
    answersQueries: true,
    tables: {
      bucket: { url: 'file:///nowhere', allowedUrls: [], environment: {}, usesMetadataService: false },
      httpPort: 0,
    },
    clock: systemClock,
    random: seededRandom(1),
    log: silentLog,
    metrics: new Metrics(),
    ...differences,
  });
  t.after(() => agent.stop({ deadlineMs: 1_000 }));
  const get = async (port: number, path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return `${response.status} ${await response.text()}`;
  };
  return { agent, cluster, get };
}

test('an agent of a data lake is known to its cluster, ready, and serves no Kafka', async (t) => {
  const { agent, cluster, get } = await start(t);
  assert.equal('kafkaPort' in agent, false);
  const [known] = await cluster.listAgents();
  assert.equal(known!.agentId, 'lake-agent');
  assert.equal(known!.kafkaPort, agent.httpPort, 'agents of one host differ by this port');
  for (const port of [agent.httpPort, agent.tablesPort]) assert.equal(await get(port, '/v1/ready'), '200 OK');
  assert.equal(await get(agent.tablesPort, '/v1/tables'), '200 {"tables":[]}');
  assert.match(await get(agent.httpPort, '/v1/tables'), /^404 /);
  assert.match(await get(agent.httpPort, '/v1/topics'), /^404 /, 'it serves no records');
  assert.ok((await get(agent.httpPort, '/metrics')).includes('service_agent_ready 1'));
});

test('without a port of its own, the HTTP listener shows tables', async (t) => {
  const bucket = { url: 'file:///nowhere', allowedUrls: [], environment: {}, usesMetadataService: false };
  const { agent, get } = await start(t, { tables: { bucket } });
  assert.equal(agent.tablesPort, agent.httpPort);
  assert.equal(await get(agent.httpPort, '/v1/tables'), '200 {"tables":[]}');
});

test('an agent takes jobs of tables if it is selected for them', async (t) => {
  const jobs = { slotsPerCpu: 1, deletesFiles: true, additionalStores: [] };
  const cases = [
    [{ ...jobs, categories: ['tableflow'] as const }, 1],
    [{ ...jobs, categories: ['compaction'] as const }, 0],
  ] as const;
  for (const [selected, count] of cases) {
    const asked: string[] = [];
    const cluster = new TestCluster();
    const claim = cluster.claimJobs.bind(cluster);
    cluster.claimJobs = (given) => {
      asked.push(...given.kinds);
      return claim(given);
    };
    const { agent } = await start(t, { cluster, clusterId: cluster.clusterId, jobs: selected });
    await agent.stop({ deadlineMs: 1_000 });
    assert.equal(asked.filter((kind) => kind === 'table_ingestion').length > 0, count === 1);
  }
});
