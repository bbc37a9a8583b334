import {
  type ConsumerHeartbeat,
  compilePattern,
  type GroupError,
  type JoinGroupAnswer,
  type JoinGroupRequest,
  type ModernHeartbeatAnswer,
  type Pattern,
  type SyncGroupAnswer,
  type TopicReader,
  type UsablePattern,
} from '@weir/cluster';
import type { TopicPartitions } from '../src/assignors/partitions.ts';
import { ConsumerGroup, type MatchedTopicsView } from '../src/consumer/consumer-group.ts';
import type { ConsumerEvents, ConsumerRules, ConsumerStep } from '../src/consumer/event.ts';
import { step } from '../src/consumer/machine.ts';
import { allTopicsVisible, type TopicVisibility } from '../src/consumer/topic-visibilities.ts';
import type { AnswerOf, EventOf } from '../src/event-table.ts';
import { classicClient } from './classic-consumer.ts';

export const storyRules: ConsumerRules = {
  // Tests of the interval set one.
  assignmentIntervalMs: 0,
  heartbeatIntervalMs: 5_000,
  sessionTimeoutMs: 45_000,
  groupSizeMax: 100,
  subscribedNamesMax: 100,
  textCharsMax: 10_000,
  nameCharsMax: 64,
  classicSessionTimeoutMsMin: 6_000,
  classicSessionTimeoutMsMax: 1_800_000,
  memberProtocolsMax: 8,
};

/** Topics that a test creates and deletes. The id of a topic is its name with the number of its creation: `t#1`. */
export class StoryTopics implements MatchedTopicsView {
  /**
   * Whether patterns are matched only when the test says so, even for a single topic, and whether too many patterns
   * were compiled.
   */
  takesTime = false;
  takesTimeByOne = false;
  isBusy = false;
  /** The patterns whose matches were requested. */
  readonly requestedPatterns: string[] = [];
  /** The visible topics of some readers, by their first principal. All others see all topics. */
  readonly visibleTopics = new Map<string, readonly string[]>();
  readonly #topics = new Map<string, { topicId: string; partitionCount: number }>();
  #created = 0;

  set(name: string, partitionCount: number): void {
    const topicId = this.#topics.get(name)?.topicId ?? `${name}#${++this.#created}`;
    this.#topics.set(name, { topicId, partitionCount });
  }

  delete(name: string): void {
    this.#topics.delete(name);
  }

  byName(name: string): { topicId: string; partitionCount: number } | undefined {
    return this.#topics.get(name);
  }

  nameOf(topicId: string): string | undefined {
    const name = topicId.split('#')[0]!;
    return this.#topics.get(name)?.topicId === topicId ? name : undefined;
  }

  names(): Iterable<string> {
    return this.#topics.keys();
  }

  compile(expression: string): Pattern | 'busy' {
    return this.isBusy ? 'busy' : compilePattern(expression);
  }

  matching(_groupId: string, expression: string, pattern: UsablePattern): Set<string> | undefined {
    this.requestedPatterns.push(expression);
    if (this.takesTime) return undefined;
    return new Set([...this.names()].filter((name) => pattern.matches(name)));
  }

  matchesNow(pattern: UsablePattern, name: string): boolean | undefined {
    return this.takesTimeByOne ? undefined : pattern.matches(name);
  }

  measuredViewOf(reader: TopicReader | null): TopicVisibility {
    const visible = this.visibleTopics.get(reader?.principals[0] ?? '');
    return visible === undefined
      ? allTopicsVisible
      : { key: `only ${visible.join(' ')}`, sees: (name) => visible.includes(name) };
  }
}

/** A heartbeat of a member that has nothing new to say. */
export const unchangedHeartbeat: Omit<ConsumerHeartbeat, 'groupId' | 'memberId' | 'memberEpoch'> = {
  instanceId: null,
  rackId: null,
  clientId: 'client',
  clientHost: '/127.0.0.1',
  rebalanceTimeoutMs: -1,
  subscribedTopicNames: null,
  subscribedTopicRegex: null,
  serverAssignor: null,
  ownedPartitions: null,
  requiresMemberId: true,
};

export type HeartbeatOptions = Partial<Omit<ConsumerHeartbeat, 'groupId' | 'memberId'>> & {
  readonly topics?: string;
};

/**
 * A consumer group with topics, a clock and a short notation for requests and answers, for tests. Partitions read
 * `t:0,1 u:2`.
 */
export class ConsumerStory {
  readonly group = new ConsumerGroup('g');
  readonly topics = new StoryTopics();
  rules: ConsumerRules;
  nowMs = 1_000;
  /** The writes of the last event: `group a b -c`. */
  written = '';

  constructor(topics: Readonly<Record<string, number>> = { t: 4 }, rules: Partial<ConsumerRules> = {}) {
    this.rules = { ...storyRules, ...rules };
    for (const [name, count] of Object.entries(topics)) this.topics.set(name, count);
  }

  run<Kind extends keyof ConsumerEvents>(
    event: EventOf<ConsumerEvents, Kind>,
  ): AnswerOf<ConsumerEvents, Kind> {
    const { answer, effects } = step(this.group, event, this.nowMs, this.rules, this.topics);
    this.written = written(effects);
    return answer;
  }

  /** `1 t:0,1`: the epoch and a new assignment; or the error. */
  join(memberId: string, { topics = 't', ...options }: HeartbeatOptions = {}): string {
    return this.beat(memberId, 0, {
      rebalanceTimeoutMs: 60_000,
      subscribedTopicNames: topics === '' ? [] : topics.split(' '),
      ownedPartitions: [],
      ...options,
    });
  }

  beat(memberId: string, memberEpoch: number, options: HeartbeatOptions = {}): string {
    return answerAsText(this.heartbeat(memberId, memberEpoch, options));
  }

  heartbeat(memberId: string, memberEpoch: number, options: HeartbeatOptions = {}): ModernHeartbeatAnswer {
    const heartbeat = { ...unchangedHeartbeat, groupId: 'g', memberId, memberEpoch, ...options };
    return this.run({ kind: 'heartbeat', heartbeat, freshMemberId: 'fresh' });
  }

  /** Parses owned partitions. */
  owned(text: string): ConsumerHeartbeat['ownedPartitions'] {
    return text
      .split(' ')
      .filter((part) => part !== '')
      .map((part) => {
        const [name = '', numbers = ''] = part.split(':');
        return { topicId: this.topics.byName(name)!.topicId, partitions: numbers.split(',').map(Number) };
      });
  }

  classicJoin(
    memberId: string,
    metadata: Uint8Array,
    options: Partial<JoinGroupRequest> = {},
  ): JoinGroupAnswer {
    return this.run({
      kind: 'classicJoin',
      freshMemberId: 'fresh',
      request: {
        groupId: 'g',
        memberId,
        ...classicClient,
        protocolType: 'consumer',
        protocols: [{ name: 'cooperative-sticky', metadata }],
        requiresKnownMemberId: false,
        supportsSkipAssignment: true,
        reason: null,
        ...options,
      },
    });
  }

  classicSync(memberId: string, generationId: number): SyncGroupAnswer {
    return this.run({
      kind: 'classicSync',
      request: {
        groupId: 'g',
        generationId,
        memberId,
        groupInstanceId: null,
        protocolType: 'consumer',
        protocolName: 'cooperative-sticky',
        assignments: [],
      },
    });
  }

  classicBeat(memberId: string, generationId: number): GroupError {
    const heartbeat = { groupId: 'g', generationId, memberId, groupInstanceId: null };
    return this.run({ kind: 'classicHeartbeat', heartbeat });
  }

  setTopic(name: string, partitionCount: number): void {
    if (partitionCount === 0) this.topics.delete(name);
    else this.topics.set(name, partitionCount);
    this.run({ kind: 'topics', names: [name] });
  }

  pass(ms: number): void {
    this.nowMs += ms;
    this.run({ kind: 'tick' });
  }

  /** The epoch and assignment of all members: `a@1 t:0,1 | b@1 t:2,3`. */
  holdings(): string {
    return Array.from(this.group.members.values(), ({ memberId, holding }) =>
      `${memberId}@${holding.epoch} ${asText(holding.assigned)}`.trim(),
    ).join(' | ');
  }
}

export function asText(partitions: TopicPartitions): string {
  return Array.from(partitions, ([topicId, numbers]) => `${topicId.split('#')[0]}:${numbers.join(',')}`).join(
    ' ',
  );
}

function answerAsText({ error, memberEpoch, assignment }: ModernHeartbeatAnswer): string {
  if (error !== 'NONE') return error;
  if (assignment === null) return `${memberEpoch} =`;
  const partitions = new Map(assignment.map(({ topicId, partitions }) => [topicId, partitions]));
  return `${memberEpoch} ${asText(partitions)}`.trim();
}

function written({ isGroupChanged, changed, removed }: ConsumerStep): string {
  return [...(isGroupChanged ? ['group'] : []), ...changed, ...Array.from(removed, (id) => `-${id}`)].join(
    ' ',
  );
}
