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
 * `stable`: the member has its target. `revoking`: it must give up partitions and has not confirmed it. `waiting`: it
 * waits for partitions that other members have not given up yet.
 */
export const reconciliationStates = ['stable', 'revoking', 'waiting'] as const;

type ReconciliationState = (typeof reconciliationStates)[number];

/** The assignment of a member and its reconciliation state. Immutable; replaced as a whole. */
export interface Holding {
  /** The epoch of the target that it follows; 0 for a new member. */
  readonly epoch: number;
  /** The epoch before, which a member sends that did not receive the last answer. */
  readonly previousEpoch: number;
  readonly state: ReconciliationState;
  /** The partitions that the member may read. */
  readonly assigned: TopicPartitions;
  /** Partitions that it must give up and may still hold; no other member gets them before. */
  readonly revoking: TopicPartitions;
}

export interface Target {
  readonly epoch: number;
  readonly partitions: TopicPartitions;
}

/**
 * Moves a member as far towards its target as possible; returns the same object if nothing changes.
 *
 *     stable ──new target, something to give up──▶ revoking ──the member no longer owns it──▶ stable or waiting
 *     stable ──new target, nothing to give up────▶ stable, or waiting for partitions of others
 *
 * A member that must give up partitions stays in its epoch until it did, so that it can commit their offsets. `owned`
 * is what the member reports to hold; `null` if it reports nothing.
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
