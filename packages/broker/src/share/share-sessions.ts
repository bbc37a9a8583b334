import type { TopicPartition } from '@weir/cluster';
import type { Apis, ErrorName, RequestOf } from '@weir/wire';
import { brokerLimits } from '../limits.ts';

type ShareFetchRequest = RequestOf<Apis['ShareFetch']>;

/** The session of a member on one agent: its partitions, and the epoch of its next request. */
export interface ShareSession {
  readonly groupId: string;
  readonly memberId: string;
  /** Least recently served first. */
  readonly partitions: Map<string, TopicPartition>;
  /** The epoch that the next request must have. */
  epoch: number;
}

interface KnownSession extends ShareSession {
  connection: AbortSignal;
  readonly onClosed: () => void;
}

/** Identifies the session of a request. */
interface Caller {
  readonly groupId: string;
  readonly memberId: string;
  readonly shareSessionEpoch: number;
}

interface ShareSessionsOptions {
  /** Called when the connection of a session was lost, so that its records can be released. */
  readonly onLost: (session: ShareSession) => void;
  readonly sessionsMax?: number;
  readonly partitionsMax?: number;
}

const openingEpoch = 0;
export const closingEpoch = -1;
const lastEpoch = 2 ** 31 - 1;

const memberIdCharsMax = 36;

/** Members choose their ids, which are UUIDs as texts. */
export function isShareMemberId(memberId: string | null): memberId is string {
  return memberId !== null && memberId.length > 0 && memberId.length <= memberIdCharsMax;
}

/**
 * The sessions of members of share groups. A member opens one with its first ShareFetch, then sends only changes, and
 * closes it at the end. A session ends with its connection.
 */
export class ShareSessions {
  readonly #options: ShareSessionsOptions;
  readonly #sessionsMax: number;
  readonly #partitionsMax: number;
  readonly #sessions = new Map<string, KnownSession>();
  #partitionCount = 0;

  constructor(options: ShareSessionsOptions) {
    this.#options = options;
    this.#sessionsMax = options.sessionsMax ?? brokerLimits.shareSessionsMax;
    this.#partitionsMax = options.partitionsMax ?? brokerLimits.shareSessionPartitionsMax;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Returns the session of a ShareFetch, opened, updated or closed by it. */
  fetch(caller: Caller, request: ShareFetchRequest, connection: AbortSignal): ShareSession | ErrorName {
    if (caller.shareSessionEpoch === openingEpoch) return this.#open(caller, request, connection);
    const session = this.#next(caller, connection);
    if (typeof session === 'string' || caller.shareSessionEpoch === closingEpoch) return session;
    const before = session.partitions.size;
    addFrom(session.partitions, request);
    for (const { topicId, partitions } of request.forgottenTopicsData) {
      for (const partition of partitions) session.partitions.delete(keyOf(topicId, partition));
    }
    this.#partitionCount += session.partitions.size - before;
    if (this.#partitionCount <= this.#partitionsMax) return session;
    this.#close(session);
    return 'SHARE_SESSION_LIMIT_REACHED';
  }

  /** Returns the session of a ShareAcknowledge, which may close it. */
  acknowledge(caller: Caller, connection: AbortSignal): ShareSession | ErrorName {
    if (caller.shareSessionEpoch === openingEpoch) return 'INVALID_SHARE_SESSION_EPOCH';
    return this.#next(caller, connection);
  }

  #open(caller: Caller, request: ShareFetchRequest, connection: AbortSignal): ShareSession | ErrorName {
    const { groupId, memberId } = caller;
    const key = sessionKey(caller);
    const before = this.#sessions.get(key);
    if (before !== undefined) this.#close(before);
    const partitions = new Map<string, TopicPartition>();
    addFrom(partitions, request);
    const hasRoom =
      this.#sessions.size < this.#sessionsMax &&
      this.#partitionCount + partitions.size <= this.#partitionsMax;
    if (!hasRoom) return 'SHARE_SESSION_LIMIT_REACHED';
    const session: KnownSession = {
      groupId,
      memberId,
      partitions,
      epoch: openingEpoch + 1,
      connection,
      onClosed: () => {
        this.#close(session);
        this.#options.onLost(session);
      },
    };
    this.#sessions.set(key, session);
    this.#partitionCount += partitions.size;
    connection.addEventListener('abort', session.onClosed, { once: true });
    return session;
  }

  #next(caller: Caller, connection: AbortSignal): KnownSession | ErrorName {
    const session = this.#sessions.get(sessionKey(caller));
    if (session === undefined) return 'SHARE_SESSION_NOT_FOUND';
    const { shareSessionEpoch } = caller;
    if (shareSessionEpoch === closingEpoch) {
      this.#close(session);
      return session;
    }
    if (shareSessionEpoch !== session.epoch) return 'INVALID_SHARE_SESSION_EPOCH';
    session.epoch = session.epoch === lastEpoch ? 1 : session.epoch + 1;
    if (session.connection !== connection) {
      session.connection.removeEventListener('abort', session.onClosed);
      session.connection = connection;
      connection.addEventListener('abort', session.onClosed, { once: true });
    }
    return session;
  }

  #close(session: KnownSession): void {
    session.connection.removeEventListener('abort', session.onClosed);
    const key = sessionKey(session);
    if (this.#sessions.get(key) !== session) return;
    this.#sessions.delete(key);
    this.#partitionCount -= session.partitions.size;
  }
}

/** Moves a partition that was just served to the end. */
export function serveLast({ partitions }: ShareSession, { topicId, partition }: TopicPartition): void {
  const key = keyOf(topicId, partition);
  const served = partitions.get(key);
  if (served === undefined) return;
  partitions.delete(key);
  partitions.set(key, served);
}

function addFrom(partitions: Map<string, TopicPartition>, { topics }: ShareFetchRequest): void {
  for (const { topicId, partitions: wanted } of topics) {
    for (const { partitionIndex: partition } of wanted) {
      const key = keyOf(topicId, partition);
      if (!partitions.has(key)) partitions.set(key, { topicId, partition });
    }
  }
}

/** The length marks the end of the group id, whatever it contains. */
function sessionKey({ groupId, memberId }: Pick<Caller, 'groupId' | 'memberId'>): string {
  return `${groupId.length}/${groupId}/${memberId}`;
}

function keyOf(topicId: string, partition: number): string {
  return `${topicId}/${partition}`;
}
