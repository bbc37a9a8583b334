import {
  column,
  flag,
  list,
  nullable,
  number,
  object,
  optional,
  text,
  tuple,
  whole,
} from '../../shapes/shape.ts';
import { leaderCall } from '../call.ts';
import type { GroupError } from './group-names.ts';

/** A joining member waits for the slowest member, up to the largest rebalance timeout, which members choose. */
const waitMsMax = 24 * 3_600_000;

/** Opaque metadata of a member for one protocol; the coordinator forwards it unread. */
export interface NamedBytes {
  readonly name: string;
  readonly metadata: Uint8Array;
}

export interface JoinGroupRequest {
  readonly groupId: string;
  /** Empty for a new member. */
  readonly memberId: string;
  /** `group.instance.id` of a static member. */
  readonly groupInstanceId: string | null;
  readonly clientId: string;
  /** The client's address as Kafka shows it: `/10.0.0.1`. */
  readonly clientHost: string;
  readonly sessionTimeoutMs: number;
  /** How long a rebalance waits for this member; the session timeout for clients that do not send one. */
  readonly rebalanceTimeoutMs: number;
  readonly protocolType: string;
  /** In order of preference. */
  readonly protocols: readonly NamedBytes[];
  /** JoinGroup v4 and later: a new dynamic member first receives a member id and joins with a second request. */
  readonly requiresKnownMemberId: boolean;
  /** JoinGroup v9 and later: the answer may instruct a returning static leader to skip the assignment. */
  readonly supportsSkipAssignment: boolean;
  /** Reason for joining, for logs. */
  readonly reason: string | null;
  /** The agent that the client is connected to. When the agent is gone, the request is dropped. */
  readonly agentId?: string | undefined;
}

const joinGroup = object<JoinGroupRequest>({
  groupId: text,
  memberId: text,
  groupInstanceId: nullable(text),
  clientId: text,
  clientHost: text,
  sessionTimeoutMs: whole,
  rebalanceTimeoutMs: whole,
  protocolType: text,
  protocols: list(object<NamedBytes>({ name: text, metadata: column(Uint8Array) })),
  requiresKnownMemberId: flag,
  supportsSkipAssignment: flag,
  reason: nullable(text),
  agentId: optional(text),
});

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

export interface SyncGroupRequest {
  readonly groupId: string;
  readonly generationId: number;
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  /** The values that the member expects, from v5 on; `null` is not checked. */
  readonly protocolType: string | null;
  readonly protocolName: string | null;
  /** The assignment of each member, from the leader; empty from other members. */
  readonly assignments: readonly MemberAssignment[];
}

interface MemberAssignment {
  readonly memberId: string;
  readonly assignment: Uint8Array;
}

const syncGroup = object<SyncGroupRequest>({
  groupId: text,
  generationId: number,
  memberId: text,
  groupInstanceId: nullable(text),
  protocolType: nullable(text),
  protocolName: nullable(text),
  assignments: list(object<MemberAssignment>({ memberId: text, assignment: column(Uint8Array) })),
});

export interface SyncGroupAnswer {
  readonly error: GroupError;
  readonly protocolType: string | null;
  readonly protocolName: string | null;
  readonly assignment: Uint8Array;
}

export interface GroupHeartbeat {
  readonly groupId: string;
  readonly generationId: number;
  readonly memberId: string;
  readonly groupInstanceId: string | null;
}

const heartbeat = object<GroupHeartbeat>({
  groupId: text,
  generationId: number,
  memberId: text,
  groupInstanceId: nullable(text),
});

export interface LeaveGroupRequest {
  readonly groupId: string;
  readonly members: readonly LeavingMember[];
}

export interface LeavingMember {
  /** May be empty for a static member, which any client may remove by its instance id. */
  readonly memberId: string;
  readonly groupInstanceId: string | null;
}

const leaveGroup = object<LeaveGroupRequest>({
  groupId: text,
  members: list(object<LeavingMember>({ memberId: text, groupInstanceId: nullable(text) })),
});

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
  joinGroup: leaderCall<[request: JoinGroupRequest], JoinGroupAnswer>(tuple(joinGroup), {
    onRetry: 'dedupe-in-process',
    deadlineMs: waitMsMax,
    waits: true,
  }),
  /** Waits for the assignment of the group leader. */
  syncGroup: leaderCall<[request: SyncGroupRequest], SyncGroupAnswer>(tuple(syncGroup), {
    onRetry: 'dedupe-in-process',
    deadlineMs: waitMsMax,
    waits: true,
  }),
  /**
   * Heartbeats of any groups, batched by the caller. The deadline is short because the next heartbeat carries the same
   * state.
   */
  groupHeartbeats: leaderCall<[heartbeats: readonly GroupHeartbeat[]], GroupError[]>(tuple(list(heartbeat)), {
    onRetry: 'reexecute',
    deadlineMs: 6_000,
    splits: true,
  }),
  leaveGroup: leaderCall<[request: LeaveGroupRequest], LeaveGroupAnswer>(tuple(leaveGroup), {
    onRetry: 'dedupe-in-process',
  }),
};
