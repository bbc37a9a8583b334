import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { missingTool } from '../apache/tools.ts';
import { lastFirst } from '../brokers/weir-process.ts';
import { openApplications } from './application.ts';
import { startThreeAgents } from './three-agents.ts';

/** The command-line tools of Apache Kafka 4.3.1, as administrators call them, against three agents. */
const skip = missingTool();
const lifetime = lastFirst({ after });
const servers = skip ? '' : (await startThreeAgents(lifetime))[0];
const java = skip ? undefined! : openApplications(lifetime);

const mains = {
  cluster: 'org.apache.kafka.tools.ClusterTool',
  configs: 'kafka.admin.ConfigCommand',
  features: 'org.apache.kafka.tools.FeatureCommand',
  quorum: 'org.apache.kafka.tools.MetadataQuorumCommand',
  reassign: 'org.apache.kafka.tools.reassign.ReassignPartitionsCommand',
  shareGroups: 'org.apache.kafka.tools.consumer.group.ShareGroupCommand',
  topics: 'org.apache.kafka.tools.TopicCommand',
  transactions: 'org.apache.kafka.tools.TransactionsCommand',
} as const;

interface Outcome {
  readonly status: number;
  readonly printed: string;
}

/** Runs a tool with the arguments of a command line. */
function run(tool: keyof typeof mains, line: string): Promise<Outcome> {
  const server = ['--bootstrap-server', servers];
  // Commands of kafka-cluster come before their options.
  const args = tool === 'cluster' ? [...line.split(' '), ...server] : [...server, ...line.split(' ')];
  return java.ask<Outcome>('tool', { main: mains[tool], args });
}

async function succeeds(tool: keyof typeof mains, line: string, ...expected: readonly RegExp[]) {
  const { status, printed } = await run(tool, line);
  assert.equal(status, 0, printed);
  for (const one of expected) assert.match(printed, one);
  return printed;
}

async function fails(tool: keyof typeof mains, line: string, expected: RegExp) {
  const { status, printed } = await run(tool, line);
  assert.notEqual(status, 0, printed);
  assert.match(printed, expected);
}

/** Returns the replicas of each partition as kafka-topics prints them. */
async function replicasOf(topic: string): Promise<readonly string[][]> {
  const printed = await succeeds('topics', `--describe --topic ${topic}`);
  return Array.from(printed.matchAll(/Replicas: ([\d,]*)/g), ([, replicas]) => replicas!.split(','));
}

describe('the tools of administrators', { skip }, () => {
  test('kafka-topics shows the replication factor that was asked for, as far as there are agents', async () => {
    for (const [option, shown] of [
      ['--replication-factor 1', 1],
      ['--replication-factor 2', 2],
      ['--replication-factor 3', 3],
      ['--replication-factor 7', 3],
      ['', 3],
    ] as const) {
      const topic = `replicated-${option.replaceAll(/\D/g, '')}`;
      await succeeds('topics', `--create --topic ${topic} --partitions 4 ${option}`.trim());
      await succeeds('topics', `--describe --topic ${topic}`, new RegExp(`ReplicationFactor: ${shown}\\s`));
      const replicas = await replicasOf(topic);
      assert.equal(replicas.length, 4);
      for (const ids of replicas) assert.equal(new Set(ids).size, shown, String(ids));
    }
    const printed = await succeeds('topics', '--describe --under-replicated-partitions');
    assert.doesNotMatch(printed, /replicated-/);
  });

  test('kafka-configs changes and describes one broker, all of them, and refuses what is misspelt', async () => {
    await succeeds('topics', '--create --topic configured --partitions 1 --replication-factor 1');
    const broker = (await replicasOf('configured'))[0]![0]!;
    const one = `--entity-type brokers --entity-name ${broker}`;
    const all = '--entity-type brokers --entity-default';
    await succeeds(
      'configs',
      `--alter ${one} --add-config log.cleaner.threads=2`,
      /Completed updating config/,
    );
    await succeeds(
      'configs',
      `--alter ${all} --add-config log.cleaner.threads=3`,
      /Completed updating default/,
    );
    await succeeds(
      'configs',
      `--describe ${one}`,
      /log\.cleaner\.threads=2 .*DYNAMIC_BROKER_CONFIG:log\.cleaner\.threads=2, DYNAMIC_DEFAULT_BROKER_CONFIG:log\.cleaner\.threads=3/,
    );
    await succeeds(
      'configs',
      `--describe --all ${one}`,
      /advertised\.listeners=PLAINTEXT:\/\/\S+:\d+ /,
      /log\.cleaner\.backoff\.ms=15000 /,
      new RegExp(`node\\.id=${broker} `),
    );
    await succeeds(
      'configs',
      `--alter ${one} --delete-config log.cleaner.threads`,
      /Completed updating config/,
    );
    const printed = await succeeds('configs', `--describe ${one}`);
    assert.doesNotMatch(printed, /DYNAMIC_BROKER_CONFIG/);
    const unknown = /InvalidConfigurationException: .*did you mean/;
    await fails('configs', `--alter ${one} --add-config log.cleaner.thread=2`, unknown);
    await fails('configs', `--alter ${all} --add-config log.cleaner.thread=2`, unknown);
    const topic = '--entity-type topics --entity-name configured';
    await fails('configs', `--alter ${topic} --add-config retention.mss=5`, unknown);
    await fails('configs', `--alter ${one} --add-config num.io.thread=5`, unknown);
    await fails('configs', `--alter ${one} --add-config node.id=5`, /InvalidRequestException: node\.id=5/);
  });

  test('kafka-reassign-partitions --verify ends well, and clears the throttles that were set', async () => {
    await succeeds('topics', '--create --topic moved --partitions 2 --replication-factor 2');
    const replicas = await replicasOf('moved');
    const broker = replicas[0]![0]!;
    const rates = 'leader.replication.throttled.rate=1000,follower.replication.throttled.rate=1000';
    await succeeds('configs', `--alter --entity-type brokers --entity-name ${broker} --add-config ${rates}`);
    const throttled = 'leader.replication.throttled.replicas=*';
    await succeeds('configs', `--alter --entity-type topics --entity-name moved --add-config ${throttled}`);
    const folder = mkdtempSync(join(tmpdir(), 'weir-reassign-'));
    try {
      const file = join(folder, 'plan.json');
      const partitions = replicas.map((ids, partition) => ({
        topic: 'moved',
        partition,
        replicas: ids.map(Number),
      }));
      writeFileSync(file, JSON.stringify({ version: 1, partitions }));
      await succeeds(
        'reassign',
        `--verify --reassignment-json-file ${file}`,
        /Reassignment of partition moved-0 is completed\./,
        /Reassignment of partition moved-1 is completed\./,
        /Clearing broker-level throttles/,
        /Clearing topic-level throttles on topic moved/,
      );
      await succeeds('reassign', '--list', /No partition reassignments found/);
    } finally {
      rmSync(folder, { recursive: true });
    }
    for (const entity of [`brokers --entity-name ${broker}`, 'topics --entity-name moved']) {
      const printed = await succeeds('configs', `--describe --entity-type ${entity}`);
      assert.doesNotMatch(printed, /throttled/);
    }
  });

  test('kafka-metadata-quorum prints status and replication', async () => {
    await succeeds(
      'quorum',
      'describe --status',
      /ClusterId:\s+\S+/,
      /LeaderId:\s+\d+/,
      /HighWatermark:\s+\d+/,
      /MaxFollowerLag:\s+0/,
      /CurrentVoters:\s+\[.*\d+.*\]/,
    );
    await succeeds('quorum', 'describe --replication', /NodeId\s/, /\sLeader\s/);
    const voter = '--controller-id 7 --controller-directory-id AAAAAAAAAAAAAAAAAAAAAQ';
    await fails('quorum', `remove-controller ${voter}`, /there is no quorum whose voters could change/);
  });

  test('kafka-cluster prints the cluster, and has no agent to forget', async () => {
    await succeeds('cluster', 'cluster-id', /Cluster ID: vci_/);
    const listed = await succeeds('cluster', 'list-endpoints', /HOST/);
    const [id] = /^\s*(\d+)\s+127\.0\.0\.1/m.exec(listed)?.slice(1) ?? [];
    await fails('cluster', `unregister --id ${id}`, /is running; stop it/);
    await fails('cluster', 'unregister --id 123456', /no agent has the id 123456|is not registered/);
  });

  test('kafka-share-groups makes a group where it is to begin, describes and deletes it', async () => {
    await succeeds('topics', '--create --topic shared --partitions 1');
    const group = '--group by-offsets';
    await succeeds(
      'shareGroups',
      `--reset-offsets ${group} --topic shared --to-earliest --execute`,
      /shared\s+0\s+0/,
    );
    await succeeds('shareGroups', `--describe ${group}`, /by-offsets\s+shared\s+0\s+0\s+0/);
    await succeeds('shareGroups', '--list --state', /by-offsets\s+Empty/);
    await succeeds('shareGroups', `--delete-offsets ${group} --topic shared`, /shared\s+Successful/);
    await succeeds('shareGroups', `--delete ${group}`, /by-offsets/);
  });

  test('kafka-transactions lists, describes and aborts one, which then cannot commit', async () => {
    await succeeds('topics', '--create --topic paid --partitions 1');
    await java.ask('begin', { servers, transactionalId: 'pay', topic: 'paid', partition: 0, value: 'one' });
    await succeeds('transactions', 'list', /^pay\s+\d+\s+\d+\s+Ongoing/m);
    await succeeds('transactions', 'describe --transactional-id pay', /\sOngoing\s.*\spaid-0/);
    const partition = '--topic paid --partition 0';
    await succeeds('transactions', `describe-producers ${partition}`, /^\d+\s.*\s0\s*$/m);
    await succeeds('transactions', `abort ${partition} --start-offset 0`);
    await succeeds('transactions', 'describe --transactional-id pay', /\sCompleteAbort\s/);
    await assert.rejects(
      java.ask('commit', { transactionalId: 'pay' }),
      /Fenced|InvalidProducerEpoch|InvalidTxnState/,
    );
    const read = { servers, topic: 'paid', isolation: 'read_committed' };
    assert.deepEqual(await java.ask('read', read), []);
    await fails(
      'transactions',
      `abort ${partition} --start-offset 0`,
      /Could not find any open transactions/,
    );
  });

  test('kafka-features tells the levels, and why there is no other', async () => {
    await succeeds('features', 'describe', /Feature: share\.version\s.*FinalizedVersionLevel: 1/);
    await fails(
      'features',
      'upgrade --feature share.version=9',
      /share\.version is fixed at level 1 in this release/,
    );
  });
});
