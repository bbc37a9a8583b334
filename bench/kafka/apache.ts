import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Broker } from './broker.ts';
import { freePort } from './free-port.ts';
import type { Lifetime } from './lifetime.ts';
import { ServerProcess } from './server-process.ts';

export const apacheRelease = '4.3.1';

/** JVM flags of `kafka-server-start.sh`. */
export const javaFlags: readonly string[] = [
  '-Xmx1G',
  '-Xms1G',
  '-server',
  '-XX:+UseG1GC',
  '-XX:MaxGCPauseMillis=20',
  '-XX:InitiatingHeapOccupancyPercent=35',
  '-XX:+ExplicitGCInvokesConcurrent',
  '-XX:MaxInlineLevel=15',
  '-Djava.awt.headless=true',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
  '-Dorg.slf4j.simpleLogger.log.kafka.server.KafkaRaftServer=info',
];

/**
 * Log line of a started server. Connecting to the port is not a valid check: a connection attempt to a free local port
 * can connect to itself.
 */
export const isServing = 'Kafka Server started';

const protocolMap = ['CONTROLLER:PLAINTEXT']
  .concat(['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'].map((name) => `${name}:${name}`))
  .join();

/** Attempts to start: ports are chosen before Kafka binds them, and another process may take one first. */
const startsMax = 3;

/**
 * Starts Apache Kafka as one node with both roles, broker and controller. Only addresses, folders and the replication
 * of internal topics are set (one node cannot have three replicas); everything else has its default, unless a test sets
 * more properties, and more listeners: `SSL://127.0.0.1:9093`.
 */
export async function startApache(
  lifetime: Lifetime,
  classPath: string,
  more: readonly string[] = [],
  listeners: readonly string[] = [],
): Promise<Broker> {
  for (let start = 1; ; start++) {
    try {
      return await startOnce(lifetime, classPath, more, listeners);
    } catch (error) {
      if (start === startsMax || !String(error).includes('Address already in use')) throw error;
    }
  }
}

async function startOnce(
  lifetime: Lifetime,
  classPath: string,
  more: readonly string[],
  listeners: readonly string[],
): Promise<Broker> {
  const folder = lifetime.folder();
  const [port, controllerPort] = [await freePort(), await freePort()];
  const properties = join(folder, 'server.properties');
  writeFileSync(
    properties,
    [
      'process.roles=broker,controller',
      'node.id=1',
      `controller.quorum.voters=1@127.0.0.1:${controllerPort}`,
      `listeners=${[`PLAINTEXT://127.0.0.1:${port}`, ...listeners].join()},CONTROLLER://127.0.0.1:${controllerPort}`,
      `advertised.listeners=${[`PLAINTEXT://127.0.0.1:${port}`, ...listeners].join()}`,
      'inter.broker.listener.name=PLAINTEXT',
      'controller.listener.names=CONTROLLER',
      // Its default leaves the controller out as soon as a listener is not plain.
      ...(listeners.length === 0 ? [] : [`listener.security.protocol.map=${protocolMap}`]),
      `log.dirs=${join(folder, 'logs')}`,
      'offsets.topic.replication.factor=1',
      'share.coordinator.state.topic.replication.factor=1',
      'share.coordinator.state.topic.min.isr=1',
      'transaction.state.log.replication.factor=1',
      'transaction.state.log.min.isr=1',
      ...more,
      '',
    ].join('\n'),
  );
  format(classPath, properties, newClusterId());
  return startOver(lifetime, classPath, properties, port);
}

async function startOver(
  lifetime: Lifetime,
  classPath: string,
  properties: string,
  port: number,
): Promise<Broker> {
  const server = await ServerProcess.start(lifetime, {
    name: 'Kafka',
    program: 'java',
    args: [...javaFlags, '-cp', classPath, 'kafka.Kafka', properties],
    isReady: ({ text }) => text.includes(isServing),
  });
  return {
    name: 'Kafka',
    servers: `127.0.0.1:${port}`,
    processes: [server],
    async restart() {
      await server.stop();
      return startOver(lifetime, classPath, properties, port);
    },
    stop: () => server.stop(),
  };
}

/** Kafka's cluster id format: sixteen bytes in base64url. The first character must not look like a flag. */
export function newClusterId(): string {
  return `a${randomBytes(16).toString('base64url').slice(1, 22)}`;
}

/** Prepares the folder of a node. */
export function format(classPath: string, properties: string, clusterId: string): void {
  const args = ['-cp', classPath, 'kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', properties];
  const { status, stdout, stderr } = spawnSync('java', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`kafka.tools.StorageTool ended with ${status}:\n${stdout}${stderr}`);
}
