import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Lifetime, startWeir, type WeirProcess } from '../../brokers/weir-process.ts';
import type { Served } from './content.ts';

/** The two ways in which a release keeps data: a playground, and a control plane with an agent and a bucket. */
export const shapes = ['playground', 'cluster'] as const;
export type Shape = (typeof shapes)[number];

/** Names of what is served. They are in the data, so that they are the same for all of it. */
const identity = [
  ...['-defaultVirtualClusterID', 'vci_11111111_2222_3333_4444_555555555555'],
  ...['-agentKey', `aks_${'0123456789abcdef'.repeat(4)}`],
];
const onLoopback = ['-bindAddress', '127.0.0.1'];

interface Running extends Served {
  readonly processes: readonly WeirProcess[];
}

/** Serves a folder by a release, this one unless a program is given. */
export async function serve(
  lifetime: Lifetime,
  shape: Shape,
  folder: string,
  program?: string,
): Promise<Running> {
  const start = async (args: readonly string[], labels: Parameters<typeof startWeir>[1]) => {
    const started = await startWeir(args, labels, {}, program);
    lifetime.after(() => started.stop());
    return started;
  };
  if (shape === 'playground') {
    const ports = ['-kafkaPort', '0', '-httpPort', '0', '-consolePort', '0', '-schemaRegistryPort', '0'];
    const playground = await start(
      ['playground', '-dataDir', folder, ...ports],
      ['Kafka', 'registry', 'control plane'],
    );
    return {
      kafka: playground.address('Kafka'),
      registry: playground.address('registry'),
      processes: [playground],
    };
  }
  const plane = await startControlPlane(start, folder);
  const agent = await startAgent(start, plane, folder);
  return { kafka: agent.address('Kafka'), processes: [agent, plane] };
}

type Start = (args: readonly string[], labels: Parameters<typeof startWeir>[1]) => Promise<WeirProcess>;

/** It has the bucket for the backup of the metadata. */
function startControlPlane(start: Start, folder: string): Promise<WeirProcess> {
  return start(
    [
      ...['control-plane', ...identity, '-dataDir', join(folder, 'data'), '-bucketURL', bucketUrl(folder)],
      ...[...onLoopback, '-consolePort', '0'],
    ],
    ['control plane'],
  );
}

function startAgent(start: Start, plane: WeirProcess, folder: string): Promise<WeirProcess> {
  return start(
    [
      ...['agent', ...identity, '-metadataURL', plane.address('control plane')],
      ...['-bucketURL', bucketUrl(folder), '-availabilityZone', 'zone-a', ...onLoopback],
      ...['-kafkaPort', '0', '-httpPort', '0', '-gracefulShutdownDuration', '1s'],
    ],
    ['Kafka', 'HTTP'],
  );
}

export function bucketUrl(folder: string): string {
  return pathToFileURL(join(folder, 'bucket')).href;
}
