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
import type { Token } from './classic-group.ts';

/** All inputs of a group. Values that the group must not generate come with the event: tokens and fresh ids. */
export type ClassicEvent =
  | {
      readonly kind: 'join';
      readonly token: Token;
      readonly request: JoinGroupRequest;
      /** A unique new id, for a member without one. */
      readonly freshMemberId: string;
    }
  | { readonly kind: 'sync'; readonly token: Token; readonly request: SyncGroupRequest }
  | { readonly kind: 'heartbeat'; readonly token: Token; readonly heartbeat: GroupHeartbeat }
  | { readonly kind: 'leave'; readonly token: Token; readonly members: readonly LeavingMember[] }
  /** Checks whether the committer may commit offsets; a commit of a member also extends its session. */
  | {
      readonly kind: 'commit';
      readonly token: Token;
      readonly committer: OffsetsCommitter;
      readonly isTransactional: boolean;
    }
  | { readonly kind: 'delete'; readonly token: Token }
  /** Agents were lost, and with them the connections of their waiting clients. */
  | { readonly kind: 'agentsGone'; readonly agentIds: ReadonlySet<string> }
  /** A deadline may have passed. */
  | { readonly kind: 'tick' };

export type ClassicEventKind = ClassicEvent['kind'];

export type ClassicEventOf<Kind extends ClassicEventKind> = Extract<ClassicEvent, { readonly kind: Kind }>;

/** The reply to a request; every token gets one, at once or later. */
export type ClassicReply = JoinGroupAnswer | SyncGroupAnswer | GroupError | readonly GroupError[];

export interface ClassicAnswer {
  readonly token: Token;
  readonly reply: ClassicReply;
}

/** The output of an event. */
export interface Effects {
  readonly answers: readonly ClassicAnswer[];
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
