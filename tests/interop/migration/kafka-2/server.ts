import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../../bench/kafka/free-port.ts';
import type { Lifetime } from '../../../../bench/kafka/lifetime.ts';
import { ServerProcess } from '../../../../bench/kafka/server-process.ts';
import { buildJava } from '../../apache/build.ts';

/** Where the poms of the releases are. */
const homes = { '2.4': import.meta.dirname, '2.0': join(import.meta.dirname, '../kafka-2.0') } as const;
type Release = keyof typeof homes;

const javaFlags = [
  ...['-Xmx512M', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'],
  ...['-Djava.awt.headless=true', '-Dzookeeper.admin.enableServer=false'],
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
  '-Dorg.slf4j.simpleLogger.log.org.apache.zookeeper.server.NIOServerCnxnFactory=info',
  '-Dorg.slf4j.simpleLogger.log.kafka.server.KafkaServer=info',
];

/** Builds the class path of a server of Apache Kafka 2, of Maven. */
export function buildKafka2(release: Release): string {
  return buildJava(homes[release]);
}

/** Why there is no such server on this machine, if so. */
export function missingKafka2(release: Release): string | false {
  if (spawnSync('java', ['-version']).status !== 0) return 'there is no Java';
  return existsSync(join(homes[release], 'target', 'built-from'))
    ? false
    : 'run npm run test:migration-sources once';
}

/** Starts a broker without ids of topics, and the ZooKeeper that it needs. Returns its address. */
export async function startKafka2(
  lifetime: Lifetime,
  classPath: string,
  more: readonly string[] = [],
): Promise<string> {
  const folder = lifetime.folder();
  const [port, zooKeeperPort] = [await freePort(), await freePort()];
  const start = (name: string, main: string, properties: readonly string[], ready: string) => {
    const file = join(folder, `${name}.properties`);
    writeFileSync(file, `${properties.join('\n')}\n`);
    return ServerProcess.start(lifetime, {
      name,
      program: 'java',
      args: [...javaFlags, '-cp', classPath, main, file],
      isReady: ({ text }) => text.includes(ready),
    });
  };
  await start(
    'ZooKeeper',
    'org.apache.zookeeper.server.quorum.QuorumPeerMain',
    [
      `dataDir=${join(folder, 'zookeeper')}`,
      `clientPort=${zooKeeperPort}`,
      'clientPortAddress=127.0.0.1',
      'maxClientCnxns=0',
    ],
    'binding to port',
  );
  await start(
    'Kafka',
    'kafka.Kafka',
    [
      'broker.id=1',
      `listeners=PLAINTEXT://127.0.0.1:${port}`,
      `zookeeper.connect=127.0.0.1:${zooKeeperPort}`,
      'zookeeper.connection.timeout.ms=60000',
      `log.dirs=${join(folder, 'logs')}`,
      'offsets.topic.replication.factor=1',
      'transaction.state.log.replication.factor=1',
      'transaction.state.log.min.isr=1',
      ...more,
    ],
    '[KafkaServer id=1] started',
  );
  return `127.0.0.1:${port}`;
}

// Run by itself, it only builds.
if (import.meta.main) for (const release of ['2.4', '2.0'] as const) buildKafka2(release);
