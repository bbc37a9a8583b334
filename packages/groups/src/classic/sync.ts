import type { GroupError } from '@weir/cluster';
import { type Member, noBytes } from './classic-group.ts';
import type { ClassicEventOf } from './event.ts';
import { validateMember } from './join.ts';
import { refusedSync, type Step } from './step.ts';

type Sync = ClassicEventOf<'sync'>;

/** Wraps the checks of member and generation that every state needs. */
export function syncing(
  known: (step: Step, member: Member, event: Sync) => void,
): (step: Step, event: Sync) => void {
  return (step, event) => {
    const problem = problemOf(step, event);
    if (problem === 'NONE') known(step, step.group.member(event.request.memberId)!, event);
    else step.answer(event.token, refusedSync(problem));
  };
}

function problemOf({ group }: Step, { request }: Sync): GroupError {
  const { memberId, groupInstanceId, generationId, protocolType, protocolName } = request;
  const error = validateMember(group, memberId, groupInstanceId);
  if (error !== 'NONE') return error;
  if (generationId !== group.generationId) return 'ILLEGAL_GENERATION';
  const isOther =
    (protocolType !== null && protocolType !== group.protocolType) ||
    (protocolName !== null && protocolName !== group.protocolName);
  return isOther ? 'INCONSISTENT_GROUP_PROTOCOL' : 'NONE';
}

/** Members wait for the leader; its assignment makes the group stable. */
export function syncInCompletingRebalance(step: Step, member: Member, { token, request }: Sync): void {
  const { group, rules } = step;
  if (member.memberId !== group.leaderId) {
    waitForLeader(step, member, token);
    return;
  }
  const given = new Map(request.assignments.map(({ memberId, assignment }) => [memberId, assignment]));
  let bytes = 0;
  for (const assignment of given.values()) bytes += assignment.length;
  if (bytes > rules.assignmentBytesMax) {
    step.answer(token, refusedSync('INVALID_REQUEST'));
    return;
  }
  waitForLeader(step, member, token);
  group.state = 'Stable';
  step.isChanged = true;
  for (const assigned of group.members.values()) {
    assigned.assignment = given.get(assigned.memberId) ?? noBytes;
    const { sync } = assigned;
    if (sync === undefined) continue;
    assigned.sync = undefined;
    step.keepAlive(assigned);
    step.answer(sync, step.synced(assigned));
  }
}

/** Answers at once: the assignment is known. */
export function syncInStable(step: Step, member: Member, { token }: Sync): void {
  noteSynced(step, member);
  step.keepAlive(member);
  step.answer(token, step.synced(member));
}

/** An older request of the same member comes from a connection that its client has closed. */
function waitForLeader(step: Step, member: Member, token: number): void {
  if (member.sync !== undefined) step.answer(member.sync, refusedSync('REBALANCE_IN_PROGRESS'));
  member.sync = token;
  noteSynced(step, member);
}

function noteSynced({ group }: Step, member: Member): void {
  group.unsynced.delete(member.memberId);
  if (group.unsynced.size === 0) group.syncDeadlineMs = undefined;
}
