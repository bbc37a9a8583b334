import type { AnswerMemory } from '@weir/broker';
import type { Place } from '@weir/client';
import { compilePattern, type UsablePattern } from '@weir/cluster';
import type { Clock, Log } from '@weir/core';
import { gatewayLimits } from '../../../limits.ts';
import type { HandlerClient } from '../../handler-client.ts';
import type { InflatedMemory } from '../../inflated-memory.ts';
import { overloaded } from '../../request-body.ts';
import { unprocessable } from '../proxy-problems.ts';
import type { PlaceAndOffset, Seek, WantedTopics } from './consumer-bodies.ts';
import type { ConsumerConfig } from './consumer-config.ts';
import { illegalState, instanceMissing, otherSubscription } from './consumer-problems.ts';
import { GroupMembership } from './group-membership.ts';
import { commitOffsets, committedOffsets } from './group-offsets.ts';
import { type HeldPartition, HeldPartitions } from './held-partitions.ts';
import { atBeginning, atEnd, atTime, findPositions, requiredOffsetsAt, resetPositions } from './positions.ts';
import { RecordCollector } from './record-collector.ts';
import type { RecordTexts } from './record-texts.ts';
import { matchingTopics, requireVisible } from './topic-names.ts';

interface ConsumerInstanceOptions {
  readonly groupId: string;
  readonly config: ConsumerConfig;
  /** Lasts as long as the instance, and is no client of one request. */
  readonly client: HandlerClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly pause: () => Promise<void>;
}

interface Read {
  /** Of the request. */
  readonly client: HandlerClient;
  readonly texts: RecordTexts;
  readonly timeoutMs: number;
  readonly bytesMax: number;
  readonly answers: AnswerMemory;
  readonly inflated: InflatedMemory;
}

/** What a consumer reads. */
type Interest =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'topics'; readonly topics: readonly string[] }
  | {
      readonly kind: 'pattern';
      readonly pattern: UsablePattern;
      readonly topics: readonly string[];
      readonly matchedMs: number;
    }
  | { readonly kind: 'partitions' };

const exclusive = 'Subscription to topics, partitions and pattern are mutually exclusive';
const nothing: Interest = { kind: 'nothing' };
/** Of a Kafka consumer. */
const commitIntervalMs = 5_000;
/** How often topics are matched with a pattern. */
const matchesAgeMs = 30_000;
/** The longest wait of one fetch, so that rebalances and the end of the instance are noticed in time. */
const fetchWaitMsMax = 500;

/**
 * One consumer of the REST proxy. Its calls run one after the other. It keeps positions and no records: what did not
 * fit into an answer is fetched again.
 */
export class ConsumerInstance {
  readonly #options: ConsumerInstanceOptions;
  readonly #held = new HeldPartitions();
  readonly #membership: GroupMembership;
  #interest: Interest = nothing;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #usedMs: number;
  #committedMs: number;
  #isEnded = false;

  constructor(options: ConsumerInstanceOptions) {
    this.#options = options;
    this.#usedMs = options.clock.monotonicMs();
    this.#committedMs = this.#usedMs;
    this.#membership = new GroupMembership({
      ...options,
      onAssigned: (places) => this.#held.replace(places),
    });
  }

  get config(): ConsumerConfig {
    return this.#options.config;
  }

  /** When the last request about it ended; now while one runs. */
  get usedMs(): number {
    return this.#waiting > 0 ? this.#options.clock.monotonicMs() : this.#usedMs;
  }

  /** Notes that there is a request about it. */
  use(): void {
    this.#usedMs = this.#options.clock.monotonicMs();
  }

  get subscription(): readonly string[] {
    return 'topics' in this.#interest ? this.#interest.topics : [];
  }

  get assignment(): readonly Place[] {
    return this.#held.all.map(({ topic, partition }) => ({ topic, partition }));
  }

  subscribe(wanted: WantedTopics): Promise<void> {
    return this.#inTurn(async () => {
      const kind = 'pattern' in wanted ? 'pattern' : 'topics';
      if (this.#interest.kind !== 'nothing' && this.#interest.kind !== kind) throw illegalState(exclusive);
      if ('topics' in wanted && wanted.topics.length === 0) await this.#stopReading();
      else
        this.#interest = 'topics' in wanted ? { kind: 'topics', ...wanted } : await this.#byPattern(wanted);
    });
  }

  /** Subscribes to one topic unless it already is, after a check of the topic. */
  subscribeTo(topic: string, check: () => Promise<unknown>): Promise<void> {
    return this.#inTurn(async () => {
      const interest = this.#interest;
      if (interest.kind === 'topics' && interest.topics.length === 1 && interest.topics[0] === topic) return;
      if (interest.kind !== 'nothing') throw otherSubscription();
      await check();
      this.#interest = { kind: 'topics', topics: [topic] };
    });
  }

  unsubscribe(): Promise<void> {
    return this.#inTurn(() => this.#stopReading());
  }

  assign(places: readonly Place[]): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#interest.kind === 'topics' || this.#interest.kind === 'pattern')
        throw illegalState(exclusive);
      if (places.length === 0) {
        await this.#stopReading();
        return;
      }
      await this.#commitItself();
      this.#interest = { kind: 'partitions' };
      this.#held.replace(places);
    });
  }

  seek({ offsets, timestamps }: Seek): Promise<void> {
    return this.#inTurn(async () => {
      const byTime = timestamps.map((entry) => ({ ...entry, held: this.#required(entry) }));
      const byOffset = offsets.map((entry) => ({ ...entry, held: this.#required(entry) }));
      await this.#moveTo(byTime);
      for (const { held, offset } of byOffset) held.position = offset;
    });
  }

  /** Moves partitions to an end; all of the consumer if none are named. */
  seekToEnd(end: 'beginning' | 'end', places: readonly Place[]): Promise<void> {
    return this.#inTurn(async () => {
      for (const place of places) this.#required(place);
      const moved = places.length === 0 ? this.#held.all : places;
      await this.#moveTo(atTime(moved, end === 'beginning' ? atBeginning : atEnd));
    });
  }

  /** Commits offsets of records that were read, or all that were read. */
  commit(offsets: readonly PlaceAndOffset[] | undefined): Promise<void> {
    return this.#inTurn(async () => {
      if (offsets === undefined) {
        await this.#commitRead();
        return;
      }
      // As in Confluent's proxy, a caller names the last record that it has read.
      const next = offsets.map((entry) => ({ ...entry, offset: entry.offset + 1 }));
      await commitOffsets(this.#options.client, this.#membership.committer, next);
    });
  }

  /** The committed offsets of partitions that have some. */
  committed(places: readonly Place[]): Promise<readonly PlaceAndOffset[]> {
    return this.#inTurn(async () => {
      const { client, groupId } = this.#options;
      const found = await committedOffsets(client, groupId, places);
      return found.filter(({ offset }) => offset >= 0);
    });
  }

  /** Returns the next records as JSON. */
  read(read: Read): Promise<readonly string[]> {
    return this.#inTurn(async () => {
      if (this.#interest.kind === 'nothing')
        throw illegalState('Consumer is not subscribed to any topics or assigned any partitions');
      const { clock } = this.#options;
      const endMs = clock.monotonicMs() + read.timeoutMs;
      const leftMs = () => Math.max(0, endMs - clock.monotonicMs());
      const hasLeft = () => read.client.closed.aborted || this.#isEnded;
      if (clock.monotonicMs() - this.#committedMs >= commitIntervalMs) await this.#commitItself();
      const collector = new RecordCollector({ ...this.#options, ...read, minBytes: this.config.minBytes });
      do {
        const isReady = collector.texts.length > 0 || (await this.#getReady(leftMs(), read.client));
        if (isReady && !hasLeft()) await this.#fetch(collector, Math.min(leftMs(), fetchWaitMsMax));
        // Records in hand are answered before the partitions they are from are given up.
        if (collector.texts.length > 0 && this.#isRebalancing) break;
      } while (!collector.isEnough && leftMs() > 0 && !hasLeft());
      if (this.#isEnded) throw instanceMissing();
      // A caller that has left has received nothing.
      if (!hasLeft())
        for (const [held, offset] of collector.nextOffsets) if (this.#held.has(held)) held.position = offset;
      return collector.texts;
    });
  }

  /** Commits and leaves the group. Calls that run or wait fail as if there were no instance. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#last.catch(() => {});
    await this.#commitItself();
    await this.#membership.end();
  }

  get #isRebalancing(): boolean {
    return this.#interest.kind !== 'partitions' && this.#membership.mustRejoin;
  }

  /** Runs a call after those before it. */
  async #inTurn<Output>(run: () => Promise<Output>): Promise<Output> {
    if (this.#waiting > gatewayLimits.httpConsumerWaitingMax) throw overloaded();
    this.#waiting++;
    const turn = this.#last.then(() => {
      if (this.#isEnded) throw instanceMissing();
      return run();
    });
    this.#last = turn.catch(() => {});
    try {
      return await turn;
    } finally {
      this.#waiting--;
      this.use();
    }
  }

  /** Becomes a member of the group if need be, and finds out where to read. */
  async #getReady(waitMs: number, request: HandlerClient): Promise<boolean> {
    const { client, groupId } = this.#options;
    if (this.#interest.kind !== 'partitions') {
      const isMember = await this.#membership.ready({
        topics: await this.#wantedTopics(),
        waitMs,
        left: request.closed,
        beforeRejoin: () => this.#commitItself(),
      });
      if (!isMember) return false;
    }
    const unknown = this.#held.all.filter(({ position }) => position === undefined);
    await findPositions(client, groupId, unknown, this.config.reset);
    return true;
  }

  async #fetch(collector: RecordCollector, waitMs: number): Promise<void> {
    const outOfRange = await collector.fetchFrom(this.#held.inTurn(), waitMs);
    await resetPositions(this.#options.client, outOfRange, this.config.reset);
  }

  /** The topics of the subscription. Throws a problem if the caller may not see one. */
  async #wantedTopics(): Promise<readonly string[]> {
    const { client, clock } = this.#options;
    const interest = this.#interest;
    if (interest.kind === 'topics' && this.#membership.mustRejoin)
      await requireVisible(client, interest.topics);
    if (interest.kind === 'pattern' && clock.monotonicMs() - interest.matchedMs >= matchesAgeMs) {
      const topics = await matchingTopics(client, interest.pattern, clock);
      this.#interest = { ...interest, topics, matchedMs: clock.monotonicMs() };
    }
    return this.subscription;
  }

  async #byPattern({ pattern: expression }: { readonly pattern: string }): Promise<Interest> {
    const { client, clock } = this.#options;
    const pattern = compilePattern(expression);
    if (pattern.problem !== undefined) throw unprocessable(`topic_pattern: ${pattern.problem}.`);
    const topics = await matchingTopics(client, pattern, clock);
    return { kind: 'pattern', pattern, topics, matchedMs: clock.monotonicMs() };
  }

  async #stopReading(): Promise<void> {
    await this.#commitItself();
    this.#interest = nothing;
    await this.#membership.leave();
    this.#held.replace([]);
  }

  #required(place: Place): HeldPartition {
    const held = this.#held.find(place);
    if (held === undefined)
      throw illegalState(`No current assignment for partition ${place.topic}-${place.partition}`);
    return held;
  }

  async #moveTo(asked: Parameters<typeof requiredOffsetsAt>[1]): Promise<void> {
    for (const { topic, partition, offset } of await requiredOffsetsAt(this.#options.client, asked)) {
      const held = this.#held.find({ topic, partition });
      if (held !== undefined) held.position = offset;
    }
  }

  /** Commits if the consumer was created to do so by itself. What fails is committed the next time. */
  async #commitItself(): Promise<void> {
    const { clock, log, groupId } = this.#options;
    if (!this.config.commitsItself) return;
    this.#committedMs = clock.monotonicMs();
    try {
      await this.#commitRead();
    } catch (error) {
      log.info('failed to commit offsets of consumer instance', { groupId, error: String(error) });
    }
  }

  async #commitRead(): Promise<void> {
    const read = this.#held.uncommitted();
    const offsets = read.map(({ topic, partition, position }) => ({
      topic,
      partition,
      offset: position,
      metadata: '',
    }));
    await commitOffsets(this.#options.client, this.#membership.committer, offsets);
    for (const [at, held] of read.entries()) held.committed = offsets[at]!.offset;
  }
}
