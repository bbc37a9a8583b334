import type { Place } from '@weir/client';
import { apis, errors } from '@weir/wire';
import { askLeaders, type LedPlace } from './by-leader.ts';
import { exactNumber } from './exact-number.ts';
import type { SourceCluster } from './source-cluster.ts';

export interface AskedEpoch extends LedPlace {
  readonly epoch: number;
}

/** Where an epoch of leaders ends at the source. */
export interface EpochEnd extends Place {
  /** The newest epoch that is not above the one that was asked for; -1 if the source has none. */
  readonly epoch: number;
  /** One past the last offset of it; -1 if the source has none. */
  readonly endOffset: number;
}

/**
 * Asks the leaders where epochs end: before the copy's end, if the source lost records that were copied. Partitions
 * without an answer are left out; sources before 2.1 answer none.
 */
export async function epochEnds(
  source: SourceCluster,
  asked: readonly AskedEpoch[],
): Promise<readonly EpochEnd[]> {
  const answers = await askLeaders<AskedEpoch, EpochEnd | undefined>(
    source,
    asked,
    async (leader, some) => {
      if (leader.versionOf(apis.OffsetForLeaderEpoch) === undefined) return [];
      const { topics } = await leader.request(
        apis.OffsetForLeaderEpoch,
        {
          // Of a consumer.
          replicaId: -1,
          topics: [...Map.groupBy(some, ({ topic }) => topic)].map(([topic, places]) => ({
            topic,
            partitions: places.map(({ partition, epoch }) => ({
              partition,
              currentLeaderEpoch: -1,
              leaderEpoch: epoch,
            })),
          })),
        },
        { timeoutMs: source.asks.timeoutMs },
      );
      return topics.flatMap(({ topic, partitions }) =>
        partitions
          .filter(({ errorCode }) => errorCode === errors.NONE.code)
          .map(({ partition, leaderEpoch, endOffset }) => ({
            topic,
            partition,
            epoch: leaderEpoch,
            endOffset: exactNumber(endOffset),
          })),
      );
    },
    () => undefined,
  );
  return answers.filter((answer) => answer !== undefined);
}
