import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { missingTool } from '../../apache/tools.ts';
import { type Lifetime, lastFirst, startCluster, temporaryFolder } from '../../brokers/weir-process.ts';
import { openApplications } from '../application.ts';

/** What the programs of Kafka Streams here have in common: the ways they run, their clusters and their settings. */
export const skip = missingTool();
export const java = skip ? undefined! : openApplications(lastFirst({ after }));

export type Protocol = 'classic' | 'streams';
type Guarantee = 'at_least_once' | 'exactly_once_v2';

export type Run = readonly [Guarantee, Protocol];

export const runs: readonly Run[] = [
  ['exactly_once_v2', 'streams'],
  ['exactly_once_v2', 'classic'],
  ['at_least_once', 'streams'],
  ['at_least_once', 'classic'],
];

/** A cluster whose agents may die, but the last. */
export async function begin(
  lifetime: Lifetime,
  protocol: Protocol,
  topics: readonly string[],
  partitions: number,
) {
  const cluster = await startCluster(lifetime, {
    agents: [{ zone: 'zone-a' }, { zone: 'zone-a' }, { zone: 'zone-b' }],
    controlPlanes: 1,
  });
  const servers = cluster.agents.map((agent) => agent.address('Kafka'));
  if (protocol === 'streams') {
    // Sessions of real applications last 45 s; these end soon enough for a test.
    const configs = [
      ...['group.streams.session.timeout.ms=6000', 'group.streams.heartbeat.interval.ms=500'],
      ...['group.streams.initial.rebalance.delay.ms=500', 'group.streams.num.standby.replicas=1'],
    ];
    const { status, printed } = await java.ask<{ readonly status: number; readonly printed: string }>(
      'tool',
      {
        main: 'kafka.admin.ConfigCommand',
        args: [
          ...['--bootstrap-server', servers[2], '--alter', '--entity-type', 'brokers', '--entity-default'],
          ...['--add-config', configs.join()],
        ],
      },
    );
    assert.equal(status, 0, printed);
  }
  for (const topic of topics) await java.ask('create-topic', { servers: servers[2], topic, partitions });
  return { cluster, servers: servers.join() };
}

/** Settings of one instance, as a file, and flags for its Java. */
export function settingsFile(
  lifetime: Lifetime,
  servers: string,
  [guarantee, protocol]: Run,
  more: Readonly<Record<string, string>> = {},
): { readonly file: string; readonly flags: readonly string[] } {
  const folder = temporaryFolder(lifetime);
  const state = join(folder, 'state');
  mkdirSync(state);
  const settings = {
    'bootstrap.servers': servers,
    'state.dir': state,
    'processing.guarantee': guarantee,
    'group.protocol': protocol,
    'auto.offset.reset': 'earliest',
    'commit.interval.ms': '500',
    // The cluster decides about sessions and standbys of streams groups.
    ...(protocol === 'classic' && {
      ...{ 'consumer.session.timeout.ms': '6000', 'consumer.heartbeat.interval.ms': '500' },
      'num.standby.replicas': '1',
    }),
    ...more,
  };
  const file = join(folder, 'settings');
  const text = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(file, text.join(''));
  return { file, flags: [`-Djava.io.tmpdir=${folder}`] };
}
