import type {
  GroupError,
  GroupHeartbeat,
  JoinGroupAnswer,
  JoinGroupRequest,
  LeavingMember,
  OffsetsCommitter,
  SyncGroupAnswer,
  SyncGroupRequest,
} from '@weir/cluster';
import type { AnswerOf, EventOf } from '../event-table.ts';
import type { Token } from './classic-group.ts';

/** Requests of classic members, with their answers. */
export interface ClassicRequests {
  join: {
    readonly event: {
      readonly request: JoinGroupRequest;
      /** A unique new id, for a member without one. */
      readonly freshMemberId: string;
    };
    readonly answer: JoinGroupAnswer;
  };
  sync: { readonly event: { readonly request: SyncGroupRequest }; readonly answer: SyncGroupAnswer };
  heartbeat: { readonly event: { readonly heartbeat: GroupHeartbeat }; readonly answer: GroupError };
  leave: {
    readonly event: { readonly members: readonly LeavingMember[] };
    readonly answer: readonly GroupError[];
  };
}

/** All inputs of a group that are answered. */
interface ClassicCalls extends ClassicRequests {
  /** Checks whether the committer may commit offsets; a commit of a member also extends its session. */
  commit: {
    readonly event: { readonly committer: OffsetsCommitter; readonly isTransactional: boolean };
    readonly answer: GroupError;
  };
  delete: { readonly event: object; readonly answer: GroupError };
}

export type ClassicCallKind = keyof ClassicCalls;

/** An input as its caller sends it. Values that the group must not generate come with it: tokens and fresh ids. */
export type ClassicCall<Kind extends ClassicCallKind> = EventOf<ClassicCalls, Kind>;

export type ClassicAnswer<Kind extends ClassicCallKind> = AnswerOf<ClassicCalls, Kind>;

/** All inputs of a group. */
export type ClassicEvent =
  | { [Kind in ClassicCallKind]: ClassicCall<Kind> & { readonly token: Token } }[ClassicCallKind]
  /** Agents were lost, and with them the connections of their waiting clients. */
  | { readonly kind: 'agentsGone'; readonly agentIds: ReadonlySet<string> }
  /** A deadline may have passed. */
  | { readonly kind: 'tick' };

export type ClassicEventKind = ClassicEvent['kind'];

export type ClassicEventOf<Kind extends ClassicEventKind> = Extract<ClassicEvent, { readonly kind: Kind }>;

/** The reply to a request; every token gets one, at once or later. */
export type ClassicReply = ClassicAnswer<ClassicCallKind>;

export interface AnsweredToken {
  readonly token: Token;
  readonly reply: ClassicReply;
}

/** The output of an event. */
export interface Effects {
  readonly answers: readonly AnsweredToken[];
  /** The group must be durable in its present state (or removed, if Dead) before any of the answers is sent. */
  readonly isChanged: boolean;
  /** The earliest deadline that this event set. Infinite if it set none. */
  readonly soonestMs: number;
}

/** Configuration and limits. */
export interface ClassicRules {
  readonly sessionTimeoutMsMin: number;
  readonly sessionTimeoutMsMax: number;
  readonly initialRebalanceDelayMs: number;
  readonly groupSizeMax: number;
  /** The limit of assigned member ids with which no client has joined. */
  readonly pendingMembersMax: number;
  /** A member without an answer cannot send heartbeats; after this time it is removed and must join again. */
  readonly newMemberJoinMs: number;
  readonly memberProtocolsMax: number;
  readonly metadataBytesMax: number;
  readonly assignmentBytesMax: number;
}
