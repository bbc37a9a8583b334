import {
  common,
  filtered,
  haveCommon,
  isSame,
  noPartitions,
  type TopicPartitions,
  union,
  without,
} from '../assignors/partitions.ts';

/**
 * `stable`: the member has what it is to have. `revoking`: it was told to give partitions up and has not said that it did.
 * `waiting`: it is to get partitions that others have not given up yet.
 */
export const reconciliationStates = ['stable', 'revoking', 'waiting'] as const;

type ReconciliationState = (typeof reconciliationStates)[number];

/** What a member has and where it stands. Replaced as a whole, never changed. */
export interface Holding {
  /** The epoch of the target that it follows; 0 for a member that is new. */
  readonly epoch: number;
  /** The one before, with which a member comes that did not hear the last answer. */
  readonly previousEpoch: number;
  readonly state: ReconciliationState;
  /** What the member may read. */
  readonly assigned: TopicPartitions;
  /** What it must give up, and may still hold: nobody else gets it before. */
  readonly revoking: TopicPartitions;
}

export interface Target {
  readonly epoch: number;
  readonly partitions: TopicPartitions;
}

/**
 * Takes a member as far towards its target as it can go now; gives the same object when that is nowhere.
 *
 *     stable ──other target, something to give up──▶ revoking ──the member no longer owns it──▶ stable or waiting
 *     stable ──other target, nothing to give up────▶ stable, or waiting for what others hold
 *
 * A member that has to give something up stays in its epoch until it did, so that it can commit the offsets of it.
 * `owned` is what the member says that it holds; `null` when it does not say.
 */
export function reconcile(
  holding: Holding,
  target: Target,
  owned: TopicPartitions | null,
  isFree: (topicId: string, partition: number) => boolean,
): Holding {
  if (holding.state === 'stable' && holding.epoch === target.epoch) return holding;
  if (holding.state === 'revoking' && mayOwn(owned, holding.revoking)) return holding;
  return towards(holding, target, owned, isFree);
}

function towards(
  holding: Holding,
  target: Target,
  owned: TopicPartitions | null,
  isFree: (topicId: string, partition: number) => boolean,
): Holding {
  const assigned = common(holding.assigned, target.partitions);
  const revoking = without(holding.assigned, target.partitions);
  if (revoking.size > 0 && mayOwn(owned, revoking)) {
    return { ...holding, state: 'revoking', assigned, revoking };
  }
  const missing = without(target.partitions, assigned);
  const free = filtered(missing, isFree);
  const isWaiting = free !== missing;
  const next: Holding = {
    epoch: target.epoch,
    previousEpoch: holding.epoch === target.epoch ? holding.previousEpoch : holding.epoch,
    state: isWaiting ? 'waiting' : 'stable',
    assigned: union(assigned, free),
    revoking: noPartitions,
  };
  return isSameHolding(next, holding) ? holding : next;
}

function mayOwn(owned: TopicPartitions | null, partitions: TopicPartitions): boolean {
  return owned === null || haveCommon(owned, partitions);
}

function isSameHolding(a: Holding, b: Holding): boolean {
  return (
    a.epoch === b.epoch &&
    a.state === b.state &&
    isSame(a.assigned, b.assigned) &&
    isSame(a.revoking, b.revoking)
  );
}
