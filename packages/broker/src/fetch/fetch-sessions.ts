import type { Clock, Random } from '@weir/core';
import type { Apis, ErrorName, RequestOf } from '@weir/wire';
import { brokerLimits } from '../limits.ts';
import { TurnCount, type WorkInTurns } from '../requests/turns.ts';

type FetchRequest = RequestOf<Apis['Fetch']>;

/** A partition that a client fetches, with its last request and the last values that were sent. */
export interface FetchPartition {
  readonly topicName: string;
  readonly topicId: string;
  readonly partition: number;
  fetchOffset: number;
  bytesMax: number;
  currentLeaderEpoch: number;
  /** -1 if never sent, or if an error was sent. */
  sentHighWatermark: number;
  sentLastStableOffset: number;
  sentLogStartOffset: number;
}

/** Result of a partition in one round. */
export interface PartitionNews {
  readonly partition: FetchPartition;
  readonly hasError: boolean;
  readonly hasRecords: boolean;
  readonly highWatermark: number;
  readonly lastStableOffset: number;
  readonly logStartOffset: number;
}

export interface FetchRound {
  readonly partitions: readonly FetchPartition[];
  /**
   * Ends the round: returns the partitions with changes for the client, and the id of the session to continue with.
   */
  end<News extends PartitionNews>(news: readonly News[]): WorkInTurns<FetchRoundEnd<News>>;
}

interface FetchRoundEnd<News> {
  readonly sessionId: number;
  readonly reported: readonly News[];
}

interface Session {
  readonly id: number;
  readonly owner: string;
  readonly usesTopicIds: boolean;
  /** In the order in which they are served. */
  readonly partitions: Map<string, FetchPartition>;
  /** How many of them are counted; long lists change in several turns. */
  countedPartitions: number;
  /** The epoch that the next request must have. */
  epoch: number;
  usedMs: number;
}

interface FetchSessionsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly sessionsMax?: number;
  readonly partitionsMax?: number;
}

/** A session that was not used for this long may be evicted. */
const idleMs = 120_000;
const finalEpoch = -1;
const firstEpoch = 0;
const sessionIdMax = 2 ** 31 - 1;
const topicIdsFromVersion = 13;

/**
 * Remembers what clients fetch, so that they need not repeat it (KIP-227): a client opens a session with its first
 * fetch, from then on sends only changes, and receives only partitions with changes.
 *
 * Sessions belong to the agent and not to a connection, and to the principal that opened them: for other principals the
 * session does not exist, so that a guessed id neither reveals what a client fetches nor ends its session. They are
 * limited in number and in partitions; a client without a session gets session id 0 and continues with full fetches,
 * which are always correct.
 */
export class FetchSessions {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #sessionsMax: number;
  readonly #partitionsMax: number;
  /** Least recently used first. */
  readonly #sessions = new Map<number, Session>();
  #partitionCount = 0;

  constructor(options: FetchSessionsOptions) {
    this.#clock = options.clock;
    this.#random = options.random;
    this.#sessionsMax = options.sessionsMax ?? brokerLimits.fetchSessionsMax;
    this.#partitionsMax = options.partitionsMax ?? brokerLimits.fetchSessionPartitionsMax;
  }

  get size(): number {
    return this.#sessions.size;
  }

  get partitionCount(): number {
    return this.#partitionCount;
  }

  /** Determines from a request what to fetch; an error applies to the whole request. */
  *begin(request: FetchRequest, apiVersion: number, owner: string): WorkInTurns<FetchRound | ErrorName> {
    const usesTopicIds = apiVersion >= topicIdsFromVersion;
    const session = this.#sessionOf(request, usesTopicIds, owner);
    if (typeof session === 'string') return session;
    const partitions = session?.partitions ?? new Map<string, FetchPartition>();
    const turns = new TurnCount();
    for (const topic of request.topics) {
      if (turns.ends()) yield;
      for (const partition of topic.partitions) {
        if (turns.ends()) yield;
        update(partitions, topic, partition, usesTopicIds);
      }
    }
    if (session === undefined) {
      const isFirst = request.sessionEpoch === firstEpoch;
      const open = () => (isFirst ? this.#open(partitions, usesTopicIds, owner) : undefined);
      return fullRound(partitions, open);
    }
    yield* forgetFrom(partitions, request, usesTopicIds);
    this.#count(session);
    return incrementalRound(session, () => this.#closeIfUseless(session));
  }

  /** The session that a request goes on with; none for a full fetch, which ends the one that it names. */
  #sessionOf(
    { sessionId, sessionEpoch }: FetchRequest,
    usesTopicIds: boolean,
    owner: string,
  ): Session | ErrorName | undefined {
    const session = this.#sessions.get(sessionId);
    if (sessionEpoch === finalEpoch || sessionEpoch === firstEpoch) {
      if (session?.owner === owner) this.#close(sessionId);
      return undefined;
    }
    if (session?.owner !== owner) return 'FETCH_SESSION_ID_NOT_FOUND';
    if (session.epoch !== sessionEpoch) return 'INVALID_FETCH_SESSION_EPOCH';
    if (session.usesTopicIds !== usesTopicIds) return 'FETCH_SESSION_TOPIC_ID_ERROR';
    // At once: the next request of the session may come while this one is at work.
    session.epoch = session.epoch === sessionIdMax ? 1 : session.epoch + 1;
    session.usedMs = this.#clock.monotonicMs();
    this.#sessions.delete(session.id);
    this.#sessions.set(session.id, session);
    return session;
  }

  /** Counts the partitions of a session, unless it was closed while they changed. */
  #count(session: Session): void {
    if (this.#sessions.get(session.id) !== session) return;
    this.#partitionCount += session.partitions.size - session.countedPartitions;
    session.countedPartitions = session.partitions.size;
  }

  /** A session without partitions, or one that exceeds the limit, is closed. Returns whether it is. */
  #closeIfUseless(session: Session): boolean {
    const staysOpen = session.partitions.size > 0 && this.#partitionCount <= this.#partitionsMax;
    if (!staysOpen) this.#close(session.id);
    return !staysOpen;
  }

  #open(partitions: Map<string, FetchPartition>, usesTopicIds: boolean, owner: string): Session | undefined {
    if (partitions.size === 0 || !this.#makeRoom(partitions.size)) return undefined;
    let id = 0;
    while (id === 0 || this.#sessions.has(id)) id = 1 + this.#random.below(sessionIdMax);
    const session: Session = {
      id,
      owner,
      usesTopicIds,
      partitions,
      countedPartitions: partitions.size,
      epoch: firstEpoch + 1,
      usedMs: this.#clock.monotonicMs(),
    };
    this.#sessions.set(id, session);
    this.#partitionCount += partitions.size;
    return session;
  }

  /** Only idle sessions are evicted; otherwise sessions would evict each other all the time. */
  #makeRoom(partitions: number): boolean {
    const idleSinceMs = this.#clock.monotonicMs() - idleMs;
    for (const { id, usedMs } of this.#sessions.values()) {
      if (this.#hasRoom(partitions) || usedMs > idleSinceMs) break;
      this.#close(id);
    }
    return this.#hasRoom(partitions);
  }

  #hasRoom(partitions: number): boolean {
    return (
      this.#sessions.size < this.#sessionsMax && this.#partitionCount + partitions <= this.#partitionsMax
    );
  }

  #close(id: number): void {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    this.#sessions.delete(id);
    this.#partitionCount -= session.countedPartitions;
  }
}

function keyOf(topic: string, partition: number): string {
  return `${topic}/${partition}`;
}

/** `open` opens a session, if the client wants one and there is room. */
function fullRound(
  partitions: ReadonlyMap<string, FetchPartition>,
  open: () => Session | undefined,
): FetchRound {
  return {
    partitions: [...partitions.values()],
    *end(news) {
      const session = open();
      if (session !== undefined) yield* noteAll(session, news);
      return { sessionId: session?.id ?? 0, reported: news };
    },
  };
}

/** `closeIfUseless` returns whether it closed the session. */
function incrementalRound(session: Session, closeIfUseless: () => boolean): FetchRound {
  return {
    partitions: [...session.partitions.values()],
    *end(news) {
      const reported = news.filter(isNews);
      yield* noteAll(session, reported);
      return { sessionId: closeIfUseless() ? 0 : session.id, reported };
    },
  };
}

function update(
  wanted: Map<string, FetchPartition>,
  { topic, topicId }: FetchRequest['topics'][number],
  requested: FetchRequest['topics'][number]['partitions'][number],
  usesTopicIds: boolean,
): void {
  const { partition, fetchOffset, partitionMaxBytes, currentLeaderEpoch } = requested;
  const key = keyOf(usesTopicIds ? topicId : topic, partition);
  const known = wanted.get(key);
  if (known !== undefined) {
    known.fetchOffset = Number(fetchOffset);
    known.bytesMax = partitionMaxBytes;
    known.currentLeaderEpoch = currentLeaderEpoch;
    return;
  }
  wanted.set(key, {
    topicName: topic,
    topicId,
    partition,
    fetchOffset: Number(fetchOffset),
    bytesMax: partitionMaxBytes,
    currentLeaderEpoch,
    sentHighWatermark: -1,
    sentLastStableOffset: -1,
    sentLogStartOffset: -1,
  });
}

function* forgetFrom(
  wanted: Map<string, FetchPartition>,
  request: FetchRequest,
  usesTopicIds: boolean,
): WorkInTurns<void> {
  const turns = new TurnCount();
  for (const { topic, topicId, partitions } of request.forgottenTopicsData) {
    if (turns.ends()) yield;
    for (const partition of partitions) {
      wanted.delete(keyOf(usesTopicIds ? topicId : topic, partition));
      if (turns.ends()) yield;
    }
  }
}

function isNews(news: PartitionNews): boolean {
  const { partition } = news;
  return (
    news.hasError ||
    news.hasRecords ||
    news.highWatermark !== partition.sentHighWatermark ||
    news.lastStableOffset !== partition.sentLastStableOffset ||
    news.logStartOffset !== partition.sentLogStartOffset
  );
}

function* noteAll(session: Session, news: readonly PartitionNews[]): WorkInTurns<void> {
  const turns = new TurnCount();
  for (const one of news) {
    note(session, one);
    if (turns.ends()) yield;
  }
}

/** Records what is sent to the client, and moves a partition with records to the end of the order. */
function note(
  session: Session,
  { partition, hasError, hasRecords, highWatermark, lastStableOffset, logStartOffset }: PartitionNews,
): void {
  partition.sentHighWatermark = hasError ? -1 : highWatermark;
  partition.sentLastStableOffset = hasError ? -1 : lastStableOffset;
  partition.sentLogStartOffset = hasError ? -1 : logStartOffset;
  if (!hasRecords) return;
  const key = keyOf(session.usesTopicIds ? partition.topicId : partition.topicName, partition.partition);
  if (session.partitions.delete(key)) session.partitions.set(key, partition);
}
