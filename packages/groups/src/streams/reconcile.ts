import {
  common,
  filtered,
  haveCommon,
  isSame,
  noPartitions,
  union,
  without,
} from '../assignors/partitions.ts';
import type { Tasks, TasksByKind } from './sticky-assignor.ts';

/** As for members of consumer groups. */
export const reconciliationStates = ['stable', 'revoking', 'waiting'] as const;

type ReconciliationState = (typeof reconciliationStates)[number];

/** The epochs in which active tasks were assigned, by subtopology and partition. */
export type TaskEpochs = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** The tasks of a member and its reconciliation state. Immutable; replaced as a whole. */
export interface StreamsHolding {
  /** The epoch of the target that it follows; 0 for a new member. */
  readonly epoch: number;
  /** The epoch before, which a member sends that did not receive the last answer. */
  readonly previousEpoch: number;
  readonly state: ReconciliationState;
  readonly assigned: TasksByKind;
  /** Tasks that it must give up and may still run. */
  readonly revoking: TasksByKind;
  /** Since when it has its active tasks, those that it must give up too: commits of this epoch and later count. */
  readonly since: TaskEpochs;
}

export const noTasks: TasksByKind = { active: noPartitions, standby: noPartitions };

export const newStreamsHolding: StreamsHolding = {
  epoch: 0,
  previousEpoch: 0,
  state: 'stable',
  assigned: noTasks,
  revoking: noTasks,
  since: new Map(),
};

interface StreamsTarget extends TasksByKind {
  readonly epoch: number;
}

/** Whether a task of either kind may start at the member: no other place has it that must give it up first. */
type IsFree = (kind: keyof TasksByKind, subtopologyId: string, partition: number) => boolean;

/**
 * Moves a member as far towards its target as possible; returns the same object if nothing changes. The states are
 * those of consumer groups (consumer/reconcile.ts). A task that moves between active and standby is given up first.
 */
export function reconcileTasks(
  holding: StreamsHolding,
  target: StreamsTarget,
  owned: TasksByKind | null,
  isFree: IsFree,
): StreamsHolding {
  if (holding.state === 'stable' && holding.epoch === target.epoch) return holding;
  if (holding.state === 'revoking' && mayOwn(owned, holding.revoking)) return holding;
  const assigned = both(holding.assigned, target, common);
  const revoking = both(holding.assigned, target, without);
  if (!isEmpty(revoking) && mayOwn(owned, revoking))
    return { ...holding, state: 'revoking', assigned, revoking };
  const missing = both(target, assigned, without);
  const free: TasksByKind = {
    active: filtered(missing.active, (subtopologyId, partition) =>
      isFree('active', subtopologyId, partition),
    ),
    standby: filtered(missing.standby, (subtopologyId, partition) =>
      isFree('standby', subtopologyId, partition),
    ),
  };
  const isWaiting = free.active !== missing.active || free.standby !== missing.standby;
  const next = both(assigned, free, union);
  if (holding.epoch === target.epoch && isSameTasks(next, holding.assigned) && isEmpty(holding.revoking)) {
    const state = isWaiting ? 'waiting' : 'stable';
    return state === holding.state ? holding : { ...holding, state };
  }
  return {
    epoch: target.epoch,
    previousEpoch: holding.epoch === target.epoch ? holding.previousEpoch : holding.epoch,
    state: isWaiting ? 'waiting' : 'stable',
    assigned: next,
    revoking: noTasks,
    since: epochsOf(next.active, holding.since, target.epoch),
  };
}

export function isSameTasks(a: TasksByKind, b: TasksByKind): boolean {
  return isSame(a.active, b.active) && isSame(a.standby, b.standby);
}

export function isEmpty({ active, standby }: TasksByKind): boolean {
  return active.size === 0 && standby.size === 0;
}

function mayOwn(owned: TasksByKind | null, tasks: TasksByKind): boolean {
  if (isEmpty(tasks)) return false;
  return owned === null || haveCommon(owned.active, tasks.active) || haveCommon(owned.standby, tasks.standby);
}

function both(a: TasksByKind, b: TasksByKind, combine: (a: Tasks, b: Tasks) => Tasks): TasksByKind {
  return { active: combine(a.active, b.active), standby: combine(a.standby, b.standby) };
}

/** Tasks that the member had before keep their epoch. */
function epochsOf(active: Tasks, before: TaskEpochs, epoch: number): TaskEpochs {
  const since = new Map<string, ReadonlyMap<number, number>>();
  for (const [subtopologyId, partitions] of active) {
    const known = before.get(subtopologyId);
    since.set(
      subtopologyId,
      new Map(partitions.map((partition) => [partition, known?.get(partition) ?? epoch])),
    );
  }
  return since;
}
