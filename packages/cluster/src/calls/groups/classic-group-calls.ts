import * as s from '../../shapes/shape.ts';
import { leaderCall } from '../call.ts';
import type { GroupError } from './group-names.ts';

/** A joining member waits for the slowest member, up to the largest rebalance timeout, which members choose. */
const waitMsMax = 24 * 3_600_000;

/** Opaque metadata of a member for one protocol; the coordinator forwards it unread. */
const namedBytes = s.struct({
  name: s.text,
  metadata: s.column(Uint8Array),
});
export type NamedBytes = s.TypeOf<typeof namedBytes>;

const joinGroup = s.struct({
  groupId: s.text,
  /** Empty for a new member. */
  memberId: s.text,
  /** `group.instance.id` of a static member. */
  groupInstanceId: s.nullable(s.text),
  clientId: s.text,
  /** The client's address as Kafka shows it: `/10.0.0.1`. */
  clientHost: s.text,
  sessionTimeoutMs: s.whole,
  /** How long a rebalance waits for this member; the session timeout for clients that do not send one. */
  rebalanceTimeoutMs: s.whole,
  protocolType: s.text,
  /** In order of preference. */
  protocols: s.list(namedBytes),
  /** JoinGroup v4 and later: a new dynamic member first receives a member id and joins with a second request. */
  requiresKnownMemberId: s.flag,
  /** JoinGroup v9 and later: the answer may instruct a returning static leader to skip the assignment. */
  supportsSkipAssignment: s.flag,
  /** Reason for joining, for logs. */
  reason: s.nullable(s.text),
  /** The agent that the client is connected to. When the agent is gone, the request is dropped. */
  agentId: s.optional(s.text),
});
export type JoinGroupRequest = s.TypeOf<typeof joinGroup>;

export interface JoinGroupAnswer {
  readonly error: GroupError;
  /** -1 on error. */
  readonly generationId: number;
  readonly protocolType: string | null;
  /** `null` on error; answers before v7 have an empty name in its place. */
  readonly protocolName: string | null;
  /** The member id of the leader; empty on error. */
  readonly leader: string;
  readonly skipAssignment: boolean;
  /** The id of the request, or the one that the coordinator assigned. */
  readonly memberId: string;
  /** For the leader: all members with their metadata for the chosen protocol. Empty for other members. */
  readonly members: readonly JoinedMember[];
}

interface JoinedMember {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly metadata: Uint8Array;
}

const memberAssignment = s.struct({
  memberId: s.text,
  assignment: s.column(Uint8Array),
});

const syncGroup = s.struct({
  groupId: s.text,
  generationId: s.number,
  memberId: s.text,
  groupInstanceId: s.nullable(s.text),
  /** The values that the member expects, from v5 on; `null` is not checked. */
  protocolType: s.nullable(s.text),
  protocolName: s.nullable(s.text),
  /** The assignment of each member, from the leader; empty from other members. */
  assignments: s.list(memberAssignment),
});
export type SyncGroupRequest = s.TypeOf<typeof syncGroup>;

export interface SyncGroupAnswer {
  readonly error: GroupError;
  readonly protocolType: string | null;
  readonly protocolName: string | null;
  readonly assignment: Uint8Array;
}

const heartbeat = s.struct({
  groupId: s.text,
  generationId: s.number,
  memberId: s.text,
  groupInstanceId: s.nullable(s.text),
});
export type GroupHeartbeat = s.TypeOf<typeof heartbeat>;

const leavingMember = s.struct({
  /** May be empty for a static member, which any client may remove by its instance id. */
  memberId: s.text,
  groupInstanceId: s.nullable(s.text),
});
export type LeavingMember = s.TypeOf<typeof leavingMember>;

const leaveGroup = s.struct({
  groupId: s.text,
  members: s.list(leavingMember),
});
export type LeaveGroupRequest = s.TypeOf<typeof leaveGroup>;

/**
 * On an error of the whole group `members` is empty. Before v3 the error of the single member is the error of the
 * answer.
 */
export interface LeaveGroupAnswer {
  readonly error: GroupError;
  /** In the order of the request. */
  readonly members: readonly GroupError[];
}

/** Calls by which members of classic groups join, stay and leave. */
export const classicGroupCalls = {
  /**
   * Waits for the other members for as long as a rebalance takes. A retry attaches to the waiting call; after a
   * failover it is a new join of the member.
   */
  joinGroup: leaderCall<[request: JoinGroupRequest], JoinGroupAnswer>(s.tuple(joinGroup), {
    onRetry: 'dedupe-in-process',
    deadlineMs: waitMsMax,
    waits: true,
  }),
  /** Waits for the assignment of the group leader. */
  syncGroup: leaderCall<[request: SyncGroupRequest], SyncGroupAnswer>(s.tuple(syncGroup), {
    onRetry: 'dedupe-in-process',
    deadlineMs: waitMsMax,
    waits: true,
  }),
  /**
   * Heartbeats of any groups, batched by the caller. The deadline is short because the next heartbeat carries the same
   * state, and a heartbeat may wait for an earlier call.
   */
  groupHeartbeats: leaderCall<[heartbeats: readonly GroupHeartbeat[]], GroupError[]>(
    s.tuple(s.list(heartbeat)),
    {
      onRetry: 'reexecute',
      deadlineMs: 4_500,
      splits: true,
    },
  ),
  leaveGroup: leaderCall<[request: LeaveGroupRequest], LeaveGroupAnswer>(s.tuple(leaveGroup), {
    onRetry: 'dedupe-in-process',
  }),
};
