import type { KafkaConnection, Place } from '@weir/client';
import type { SourceCluster } from './source-cluster.ts';
import { sourceProblem } from './source-problem.ts';

/** A partition, and the broker that leads it as far as is known. */
export interface LedPlace extends Place {
  readonly leaderId: number;
}

/** Partitions of one request. */
const placesPerRequest = 5_000;

/**
 * Asks the leader of each partition, several partitions with one request, and the brokers at the same time. A broker
 * that cannot be asked fails its own partitions only. Partitions without a leader fail too.
 */
export async function askLeaders<Asked extends LedPlace, Answer>(
  source: SourceCluster,
  places: readonly Asked[],
  ask: (leader: KafkaConnection, places: readonly Asked[]) => Promise<readonly Answer[]>,
  failed: (place: Asked, reason: string) => Answer,
): Promise<readonly Answer[]> {
  const byLeader = Map.groupBy(places, ({ leaderId }) => leaderId);
  const answers = await Promise.all(
    [...byLeader].map(async ([leaderId, led]) => {
      const found: Answer[] = [];
      for (let at = 0; at < led.length; at += placesPerRequest) {
        const some = led.slice(at, at + placesPerRequest);
        try {
          found.push(...(await ask(await source.connectionTo(leaderId, 'asks'), some)));
        } catch (error) {
          const reason = sourceProblem(error);
          found.push(...some.map((place) => failed(place, reason)));
        }
      }
      return found;
    }),
  );
  return answers.flat();
}
