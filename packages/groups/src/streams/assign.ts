import type { StreamsStatus } from '@weir/cluster';
import type { StreamsRules, StreamsStep } from './event.ts';
import { assignStickily, type TasksByKind, type TasksOfTopology } from './sticky-assignor.ts';
import type { StreamsGroup } from './streams-group.ts';

/** Like consumer groups: larger groups wait longer, so that assignment takes a small part of the time. */
const smallGroup = 5_000;
const waitMsPerThousand = 50;

/**
 * Computes the targets if they are older than the group, at most once per interval (KIP-1263). The first targets of a
 * group that was empty wait for more members to join. Returns why the targets have to wait.
 */
export function assignIfDue(step: StreamsStep): StreamsStatus | undefined {
  const { group, nowMs, rules } = step;
  if (group.members.size === 0) return undefined;
  if (nowMs < group.delayedUntilMs) {
    step.wakeAt(group.delayedUntilMs);
    return delayed('initial rebalance delay');
  }
  if (group.epoch === group.assignmentEpoch) return undefined;
  const dueMs = nextAssignmentMs(group, rules);
  if (nowMs < dueMs) {
    step.wakeAt(dueMs);
    return delayed('assignment interval');
  }
  const targets = targetsOf(group);
  group.targets = new Map(Array.from(targets, ([memberId, { active }]) => [memberId, active]));
  group.standbyTargets = new Map(Array.from(targets, ([memberId, { standby }]) => [memberId, standby]));
  group.assignmentEpoch = group.epoch;
  group.assignedMs = nowMs;
  group.assignmentPauseMs = pauseMs(group);
  step.isGroupChanged = true;
  return undefined;
}

/** The earliest time of the next target computation, by the present configs. */
export function nextAssignmentMs(
  { assignedMs, assignmentPauseMs, delayedUntilMs }: StreamsGroup,
  { assignmentIntervalMs }: StreamsRules,
): number {
  return Math.max(delayedUntilMs, assignedMs + Math.max(assignmentIntervalMs, assignmentPauseMs));
}

/** Without all of its topics a group has no tasks. */
function targetsOf(group: StreamsGroup): Map<string, TasksByKind> {
  const members = Array.from(group.members.values(), ({ memberId, processId, rackId }) => ({
    ...{ memberId, processId, rackId },
    before: group.tasksOf(memberId),
  }));
  return assignStickily(members, group.isReady ? tasksOf(group) : [], group.standbyCount);
}

function tasksOf({ topology, configured }: StreamsGroup): TasksOfTopology[] {
  return topology!.subtopologies.map(({ subtopologyId, changelogTopics }) => ({
    subtopologyId,
    taskCount: configured!.taskCounts.get(subtopologyId)!,
    isStateful: changelogTopics.length > 0,
  }));
}

function pauseMs({ members, configured, standbyCount }: StreamsGroup): number {
  let size = members.size;
  for (const count of configured?.taskCounts.values() ?? []) size += count * (1 + standbyCount);
  return size < smallGroup ? 0 : Math.floor((size * waitMsPerThousand) / 1000);
}

function delayed(config: string): StreamsStatus {
  return { status: 'ASSIGNMENT_DELAYED', detail: `Assignment delayed due to the configured ${config}.` };
}
