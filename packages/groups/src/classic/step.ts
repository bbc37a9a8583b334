import type { GroupError, JoinGroupAnswer, SyncGroupAnswer } from '@weir/cluster';
import { type ClassicGroup, type Member, metadataOf, noBytes, type Token } from './classic-group.ts';
import type { AnsweredToken, ClassicReply, ClassicRules, Effects } from './event.ts';

/** The processing of one event: the group, the time, and the effects so far. */
export class Step implements Effects {
  readonly group: ClassicGroup;
  readonly nowMs: number;
  readonly rules: ClassicRules;
  readonly answers: AnsweredToken[] = [];
  isChanged = false;
  soonestMs = Number.POSITIVE_INFINITY;

  constructor(group: ClassicGroup, nowMs: number, rules: ClassicRules) {
    this.group = group;
    this.nowMs = nowMs;
    this.rules = rules;
  }

  answer(token: Token, reply: ClassicReply): void {
    this.answers.push({ token, reply });
  }

  /** Schedules a wake-up of the group after the delay. */
  deadline(delayMs: number): number {
    const atMs = this.nowMs + delayMs;
    if (atMs < this.soonestMs) this.soonestMs = atMs;
    return atMs;
  }

  /** Extends the session of the member. */
  keepAlive(member: Member): void {
    member.deadlineMs = this.deadline(member.sessionTimeoutMs);
  }

  /** Answers the waiting requests of a member, if any, with the error. */
  refuseWaiting(member: Member, error: GroupError): void {
    const { join, sync } = member;
    if (join !== undefined) {
      this.group.setJoin(member, undefined);
      this.answer(join, refusedJoin(error, member.memberId));
    }
    if (sync !== undefined) this.refuseSync(member, error);
  }

  refuseSync(member: Member, error: GroupError): void {
    const { sync } = member;
    member.sync = undefined;
    if (sync !== undefined) this.answer(sync, refusedSync(error));
  }

  remove(member: Member, error: GroupError): void {
    this.refuseWaiting(member, error);
    this.group.remove(member);
  }

  /** The JoinGroup answer of a member in the present generation. */
  joined(member: Readonly<Member>): JoinGroupAnswer {
    const { group } = this;
    const isLeader = member.memberId === group.leaderId;
    return {
      error: 'NONE',
      generationId: group.generationId,
      protocolType: group.protocolType,
      protocolName: group.protocolName,
      leader: group.leaderId ?? '',
      skipAssignment: false,
      memberId: member.memberId,
      members: isLeader ? currentMembers(group) : [],
    };
  }

  synced(member: Readonly<Member>): SyncGroupAnswer {
    const { protocolType, protocolName } = this.group;
    return { error: 'NONE', protocolType, protocolName, assignment: member.assignment };
  }
}

export function currentMembers(group: ClassicGroup): JoinGroupAnswer['members'] {
  return Array.from(group.members.values(), (member) => ({
    memberId: member.memberId,
    groupInstanceId: member.groupInstanceId,
    metadata: metadataOf(member, group.protocolName),
  }));
}

export function refusedJoin(error: GroupError, memberId: string): JoinGroupAnswer {
  return {
    error,
    generationId: -1,
    protocolType: null,
    protocolName: null,
    leader: '',
    skipAssignment: false,
    memberId,
    members: [],
  };
}

export function refusedSync(error: GroupError): SyncGroupAnswer {
  return { error, protocolType: null, protocolName: null, assignment: noBytes };
}
