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

/** All that can happen to a group. What it may not make up comes with the event: tokens and fresh ids. */
export type ClassicEvent =
  | {
      readonly kind: 'join';
      readonly token: Token;
      readonly request: JoinGroupRequest;
      /** An id that nobody ever had, for a member without one. */
      readonly freshMemberId: string;
    }
  | { readonly kind: 'sync'; readonly token: Token; readonly request: SyncGroupRequest }
  | { readonly kind: 'heartbeat'; readonly token: Token; readonly heartbeat: GroupHeartbeat }
  | { readonly kind: 'leave'; readonly token: Token; readonly members: readonly LeavingMember[] }
  /** Somebody asks whether they may commit offsets; a member that does shows that it lives. */
  | {
      readonly kind: 'commit';
      readonly token: Token;
      readonly committer: OffsetsCommitter;
      readonly isTransactional: boolean;
    }
  | { readonly kind: 'delete'; readonly token: Token }
  /** Agents are gone, and with them the connections of clients that waited there. */
  | { readonly kind: 'agentsGone'; readonly agentIds: ReadonlySet<string> }
  /** Time has passed. */
  | { readonly kind: 'tick' };

export type ClassicEventKind = ClassicEvent['kind'];

export type ClassicEventOf<Kind extends ClassicEventKind> = Extract<ClassicEvent, { readonly kind: Kind }>;

/** What becomes of a request; every token gets one, at once or later. */
export type ClassicReply = JoinGroupAnswer | SyncGroupAnswer | GroupError | readonly GroupError[];

export interface ClassicAnswer {
  readonly token: Token;
  readonly reply: ClassicReply;
}

/** What an event leads to outside of the group. */
export interface Effects {
  readonly answers: readonly ClassicAnswer[];
  /** The group has to be durable as it is now, or with state Dead be gone, before any of the answers leaves. */
  readonly isChanged: boolean;
  /** Some of its deadlines was set to this, and none that was set to an earlier time. Infinite when none was set. */
  readonly soonestMs: number;
}

/** What is configured, and the limits. */
export interface ClassicRules {
  readonly sessionTimeoutMsMin: number;
  readonly sessionTimeoutMsMax: number;
  readonly initialRebalanceDelayMs: number;
  readonly groupSizeMax: number;
  /** Ids that were given out and not used. */
  readonly pendingMembersMax: number;
  /** A member that has no answer yet cannot show that it lives; after this it is forgotten and has to ask again. */
  readonly newMemberJoinMs: number;
  readonly memberProtocolsMax: number;
  readonly metadataBytesMax: number;
  readonly assignmentBytesMax: number;
}
