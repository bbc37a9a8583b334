import { type Committer, type Place, requestCommit, requestCommitted } from '@weir/client';
import { errors } from '@weir/wire';
import type { HandlerClient } from '../../handler-client.ts';
import { groupProblem } from './consumer-problems.ts';

interface PlaceAndOffset extends Place {
  /** Negative if there is none. */
  readonly offset: number;
  readonly metadata: string;
}

const attemptsMax = 30;
const pauseBetweenAttemptsMs = 100;

/** The coordinator moves, or cannot be reached at the moment. */
export const coordinatorCodes: ReadonlySet<number> = new Set([
  errors.COORDINATOR_LOAD_IN_PROGRESS.code,
  errors.COORDINATOR_NOT_AVAILABLE.code,
  errors.NOT_COORDINATOR.code,
]);

/** Commits offsets. Throws a problem if one of them is refused. */
export async function commitOffsets(
  client: HandlerClient,
  committer: Committer,
  offsets: readonly PlaceAndOffset[],
): Promise<void> {
  if (offsets.length === 0) return;
  const wanted = offsets.map((entry) => ({ ...entry, offset: BigInt(entry.offset) }));
  await whileMoving(client, committer.groupId, async () => {
    const committed = await requestCommit(client, committer, wanted);
    return { failed: committed.find(({ errorCode }) => errorCode !== 0), found: undefined };
  });
}

/** The committed offsets of partitions, in some order. Partitions of unknown topics have none. */
export async function committedOffsets(
  client: HandlerClient,
  groupId: string,
  places: readonly Place[],
): Promise<readonly PlaceAndOffset[]> {
  if (places.length === 0) return [];
  const offsets = await whileMoving(client, groupId, async () => {
    const { errorCode, offsets: found } = await requestCommitted(client, groupId, places);
    return { failed: errorCode === 0 ? found.find((one) => one.errorCode !== 0) : { errorCode }, found };
  });
  return offsets.map((entry) => ({ ...entry, offset: Number(entry.offset) }));
}

interface Attempt<Found> {
  readonly failed: { readonly errorCode: number; readonly topic?: string } | undefined;
  readonly found: Found;
}

/** Repeats a request while the coordinator moves. Throws a problem if it fails. */
async function whileMoving<Found>(
  client: HandlerClient,
  groupId: string,
  request: () => Promise<Attempt<Found>>,
): Promise<Found> {
  for (let attempt = 1; ; attempt++) {
    const { failed, found } = await request();
    if (failed === undefined) return found;
    const mayPass = coordinatorCodes.has(failed.errorCode) && attempt < attemptsMax && !client.closed.aborted;
    if (!mayPass) throw groupProblem(groupId, failed.errorCode, failed.topic);
    await client.pause(pauseBetweenAttemptsMs);
  }
}
