import type {
  ConsumerHeartbeat,
  GroupError,
  ModernGroupDescription,
  ModernHeartbeatAnswer,
} from '@weir/cluster';
import type { GroupHost, PendingAnswer } from '../group.ts';
import { notFound } from '../group-id.ts';
import { charsOf, type ModernGroup } from './modern-group.ts';
import type { ModernRules } from './modern-step.ts';

/** Why a heartbeat is refused. */
export interface Problem {
  readonly error: GroupError;
  readonly message: string;
}

export const noRoom: Problem = {
  error: 'GROUP_MAX_SIZE_REACHED',
  message: 'The groups of the cluster have reached their size limit.',
};

export const tooManyGroups: Problem = {
  error: 'POLICY_VIOLATION',
  message: 'The cluster has too many groups.',
};

export function unknownMember(memberId: string): Problem {
  return { error: 'UNKNOWN_MEMBER_ID', message: `The group has no member ${memberId}.` };
}

/** Checks whether the group takes another member. */
export function problemOfCount({ members }: ModernGroup, rules: ModernRules): Problem | undefined {
  if (members.size < rules.groupSizeMax) return undefined;
  return {
    error: 'GROUP_MAX_SIZE_REACHED',
    message: `The group has ${members.size} members, which is the limit.`,
  };
}

interface TextsOfMember {
  readonly names: readonly string[];
  readonly pattern?: string;
}

/** Checks the size of a subscription; one that shrinks is always accepted. */
export function problemOfSize(
  group: ModernGroup,
  rules: ModernRules,
  memberId: string,
  wanted: TextsOfMember,
  before: TextsOfMember | undefined,
): Problem | undefined {
  const chars = charsOf(memberId, wanted.names, wanted.pattern);
  const charsBefore = before === undefined ? 0 : charsOf(memberId, before.names, before.pattern);
  if (chars <= charsBefore || group.textChars + chars - charsBefore <= rules.textCharsMax) return undefined;
  return {
    error: 'GROUP_MAX_SIZE_REACHED',
    message: 'The subscriptions of the group exceed their size limit.',
  };
}

/** The fields that heartbeats of all types have; those of streams groups have no subscription. */
interface HeartbeatFields extends Pick<ConsumerHeartbeat, 'groupId' | 'memberId' | 'rackId' | 'clientId'> {
  readonly subscribedTopicNames?: readonly string[] | null;
}

/** Validates the fields that all heartbeats have, independently of the group. */
export function invalidity(
  { groupId, memberId, rackId, clientId, subscribedTopicNames }: HeartbeatFields,
  rules: ModernRules,
): string | undefined {
  if (groupId.trim() === '') return 'The group id is empty.';
  const { nameCharsMax, subscribedNamesMax } = rules;
  if (
    groupId.length > nameCharsMax ||
    memberId.length > nameCharsMax ||
    clientId.length > nameCharsMax ||
    (rackId !== null && rackId.length > nameCharsMax)
  ) {
    return tooLong(rules);
  }
  if (rackId === '') return 'The rack id is empty.';
  const nameCount = subscribedTopicNames?.length ?? 0;
  return nameCount > subscribedNamesMax
    ? `The subscription has ${nameCount} topic names; at most ${subscribedNamesMax} are allowed.`
    : undefined;
}

export function tooLong({ nameCharsMax }: ModernRules): string {
  return `An id has more than ${nameCharsMax} characters.`;
}

export function refusedHeartbeat({ error, message }: Problem, memberId: string): ModernHeartbeatAnswer {
  return { error, message, memberId, memberEpoch: 0, heartbeatIntervalMs: 0, assignment: null };
}

export function refused(problem: Problem, memberId: string): PendingAnswer<ModernHeartbeatAnswer> {
  return { answer: refusedHeartbeat(problem, memberId), saved: undefined };
}

/**
 * Answers when all changes are durable. A failed save becomes the answer of its group only, so that other groups are
 * not affected.
 */
export async function whenDurable<Answer extends { readonly memberId: string }>(
  pending: readonly PendingAnswer<Answer>[],
  host: GroupHost,
  refusal: (problem: Problem, memberId: string) => Answer,
): Promise<Answer[]> {
  // Heartbeats without changes depend on earlier changes.
  const settled = host.settled();
  const problems = await Promise.all(pending.map(({ saved }) => saved?.then(() => undefined, String)));
  await settled;
  return pending.map(({ answer }, index) => {
    const message = problems[index];
    if (message === undefined) return answer;
    return refusal({ error: 'COORDINATOR_LOAD_IN_PROGRESS', message }, answer.memberId);
  });
}

/** The description of a group that does not exist or has another type. */
export function missingGroup(groupId: string): ModernGroupDescription<never> {
  return {
    error: notFound(groupId),
    groupId,
    state: 'Dead',
    epoch: 0,
    assignmentEpoch: 0,
    assignor: '',
    members: [],
  };
}
