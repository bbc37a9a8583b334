import type { GroupError } from '@weir/cluster';
import { agentsGone } from './agents-gone.ts';
import type { ClassicGroup, ClassicState, Token } from './classic-group.ts';
import type { ClassicEvent, ClassicEventKind, ClassicEventOf, ClassicRules, Effects } from './event.ts';
import {
  joinInCompletingRebalance,
  joinInEmpty,
  joinInPreparingRebalance,
  joinInStable,
  joining,
  validateMember,
} from './join.ts';
import { leaving } from './leave.ts';
import { completeJoinIfAllJoined, prepareRebalance } from './rebalance.ts';
import { refusedJoin, refusedSync, Step } from './step.ts';
import { syncInCompletingRebalance, syncInStable, syncing } from './sync.ts';
import { tickInEmpty, tickInPreparingRebalance, tickWithGeneration } from './tick.ts';

/**
 * The state machine of a classic group, without I/O, clock or randomness. It changes the group in place, as the cluster
 * machine does with its state, because a group may have ten thousand members and a copy per join would cost quadratic
 * time.
 *
 * Deadlines are data of the group, and `tick` reports that time has passed. So a heartbeat is one assignment, and the
 * owner of the groups needs one timer for all of them.
 */
export function step(group: ClassicGroup, event: ClassicEvent, nowMs: number, rules: ClassicRules): Effects {
  const current = new Step(group, nowMs, rules);
  const cell = table[group.state][event.kind] as (step: Step, event: ClassicEvent) => void;
  cell(current, event);
  return current;
}

type Cell<Kind extends ClassicEventKind> = (step: Step, event: ClassicEventOf<Kind>) => void;

const table: {
  readonly [State in ClassicState]: { readonly [Kind in ClassicEventKind]: Cell<Kind> };
} = {
  Empty: {
    join: joining(joinInEmpty),
    sync: syncing((current, _member, { token }) => current.answer(token, refusedSync('UNKNOWN_MEMBER_ID'))),
    heartbeat: beating('UNKNOWN_MEMBER_ID'),
    leave: leaving(() => {}),
    commit: committing({ withoutMember: 'NONE', asMember: 'NONE', inTransaction: 'NONE' }),
    delete: (current, { token }) => {
      if (current.group.pending.size > 0) {
        current.answer(token, 'NON_EMPTY_GROUP');
        return;
      }
      current.group.state = 'Dead';
      current.isChanged = true;
      current.answer(token, 'NONE');
    },
    agentsGone,
    tick: tickInEmpty,
  },
  PreparingRebalance: {
    join: joining(joinInPreparingRebalance),
    sync: syncing((current, _member, { token }) =>
      current.answer(token, refusedSync('REBALANCE_IN_PROGRESS')),
    ),
    heartbeat: beating('REBALANCE_IN_PROGRESS'),
    leave: leaving(completeJoinIfAllJoined),
    commit: committing({ withoutMember: 'UNKNOWN_MEMBER_ID', asMember: 'NONE', inTransaction: 'NONE' }),
    delete: refusing('NON_EMPTY_GROUP'),
    agentsGone,
    tick: tickInPreparingRebalance,
  },
  CompletingRebalance: {
    join: joining(joinInCompletingRebalance),
    sync: syncing(syncInCompletingRebalance),
    heartbeat: beating('NONE'),
    leave: leaving(prepareIfMemberLeft),
    commit: committing({
      withoutMember: 'UNKNOWN_MEMBER_ID',
      asMember: 'REBALANCE_IN_PROGRESS',
      inTransaction: 'NONE',
    }),
    delete: refusing('NON_EMPTY_GROUP'),
    agentsGone,
    tick: tickWithGeneration,
  },
  Stable: {
    join: joining(joinInStable),
    sync: syncing(syncInStable),
    heartbeat: beating('NONE'),
    leave: leaving(prepareIfMemberLeft),
    commit: committing({ withoutMember: 'UNKNOWN_MEMBER_ID', asMember: 'NONE', inTransaction: 'NONE' }),
    delete: refusing('NON_EMPTY_GROUP'),
    agentsGone,
    tick: tickWithGeneration,
  },
  Dead: {
    join: (current, { token, request }) =>
      current.answer(token, refusedJoin('UNKNOWN_MEMBER_ID', request.memberId)),
    sync: (current, { token }) => current.answer(token, refusedSync('UNKNOWN_MEMBER_ID')),
    heartbeat: refusing('UNKNOWN_MEMBER_ID'),
    leave: (current, { token, members }) =>
      current.answer(
        token,
        members.map(() => 'UNKNOWN_MEMBER_ID' as const),
      ),
    commit: refusing('GROUP_ID_NOT_FOUND'),
    delete: refusing('GROUP_ID_NOT_FOUND'),
    agentsGone: () => {},
    tick: () => {},
  },
};

function refusing(error: GroupError): (current: Step, event: { readonly token: Token }) => void {
  return (current, { token }) => current.answer(token, error);
}

/** A heartbeat of a member of this generation extends its session, whatever the state answers. */
function beating(error: GroupError): Cell<'heartbeat'> {
  return (current, { token, heartbeat }) => {
    const { memberId, groupInstanceId, generationId } = heartbeat;
    const problem = problemOf(current.group, memberId, groupInstanceId, generationId);
    if (problem === 'NONE') current.keepAlive(current.group.member(memberId)!);
    current.answer(token, problem === 'NONE' ? error : problem);
  };
}

interface CommitErrors {
  /** For a committer without a member id: a tool, or a client with manual assignment. */
  readonly withoutMember: GroupError;
  readonly asMember: GroupError;
  /** In a transaction the partitions are safe in any state: the next owner waits for the end of the transaction. */
  readonly inTransaction: GroupError;
}

function committing(errors: CommitErrors): Cell<'commit'> {
  return (current, { token, committer, isTransactional }) => {
    const { group } = current;
    const { memberId, groupInstanceId, generationIdOrMemberEpoch: generationId } = committer;
    const isAnonymous = generationId < 0 && memberId === '' && groupInstanceId === null;
    if (isAnonymous || (generationId < 0 && group.state === 'Empty')) {
      current.answer(token, isTransactional ? errors.inTransaction : errors.withoutMember);
      return;
    }
    const problem = problemOf(group, memberId, groupInstanceId, generationId);
    if (problem !== 'NONE') {
      current.answer(token, problem);
      return;
    }
    current.keepAlive(group.member(memberId)!);
    current.answer(token, isTransactional ? errors.inTransaction : errors.asMember);
  };
}

function problemOf(
  group: ClassicGroup,
  memberId: string,
  groupInstanceId: string | null,
  generationId: number,
): GroupError {
  const error = validateMember(group, memberId, groupInstanceId);
  if (error !== 'NONE') return error;
  return generationId === group.generationId ? 'NONE' : 'ILLEGAL_GENERATION';
}

function prepareIfMemberLeft(current: Step, hasMemberLeft: boolean): void {
  if (hasMemberLeft) prepareRebalance(current);
}
