import { printAddress } from '@weir/client';
import { type Api, apis } from '@weir/wire';
import type { SourceCluster } from './source-cluster.ts';
import { sourceProblem } from './source-problem.ts';

/** What a copy cannot do without. */
const neededApis: readonly Api[] = [apis.Metadata, apis.Fetch, apis.ListOffsets] as unknown as Api[];

export interface ProbedBroker {
  readonly nodeId: number;
  readonly address: string;
  /** One line, if it cannot be copied from. */
  readonly problem: string | undefined;
}

export interface SourceProbe {
  readonly clusterId: string | null;
  readonly brokers: readonly ProbedBroker[];
  /** The version of Fetch that is used with all of them. */
  readonly fetchVersion: number | undefined;
  /** Without ids, a topic that was created again is recognised by its offsets only. */
  readonly hasTopicIds: boolean;
  /** Without epochs, a truncation is recognised by the end offset only. */
  readonly knowsEpochs: boolean;
}

/** Metadata has ids of topics from this version on. */
const firstWithTopicIds = 10;

/** Connects to every broker of a source and asks which APIs it has. Throws if no bootstrap broker answers. */
export async function probeSource(source: SourceCluster): Promise<SourceProbe> {
  const { clusterId } = await source.metadata([]);
  let fetchVersion: number | undefined;
  let hasTopicIds = true;
  let knowsEpochs = true;
  const brokers = await Promise.all(
    [...source.brokers.values()].map(async (broker): Promise<ProbedBroker> => {
      const named = { nodeId: broker.nodeId, address: printAddress(broker) };
      try {
        const connection = await source.connectionTo(broker.nodeId, 'asks');
        const missing = neededApis.filter((api) => connection.versionOf(api) === undefined);
        if (missing.length > 0) {
          const names = missing.map(({ name }) => name).join(' and ');
          return {
            ...named,
            problem: `has no version of ${names} in common with Weir; Kafka 2.0 and later have`,
          };
        }
        fetchVersion = Math.min(fetchVersion ?? Number.POSITIVE_INFINITY, connection.versionOf(apis.Fetch)!);
        hasTopicIds &&= connection.versionOf(apis.Metadata)! >= firstWithTopicIds;
        knowsEpochs &&= connection.versionOf(apis.OffsetForLeaderEpoch) !== undefined;
        return { ...named, problem: undefined };
      } catch (error) {
        return { ...named, problem: sourceProblem(error) };
      }
    }),
  );
  return { clusterId, brokers, fetchVersion, hasTopicIds, knowsEpochs };
}
