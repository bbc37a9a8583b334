import type {
  StreamsHeartbeat,
  StreamsHeartbeatAnswer,
  StreamsSubtopology,
  StreamsTopology,
} from '@weir/cluster';
import type { AnswerOf, EventOf } from '../src/event-table.ts';
import type { StreamsEvents, StreamsRules, StreamsStep } from '../src/streams/event.ts';
import { step } from '../src/streams/machine.ts';
import { StreamsGroup } from '../src/streams/streams-group.ts';
import { StoryTopics, storyRules } from './consumer-story.ts';

const streamsStoryRules: StreamsRules = { ...storyRules, standbyCount: 0, initialDelayMs: 0 };

const unchanged: Omit<StreamsHeartbeat, 'groupId' | 'memberId' | 'memberEpoch'> = {
  ...{ endpointEpoch: 0, instanceId: null, rackId: null, clientId: 'client', clientHost: '/127.0.0.1' },
  ...{ rebalanceTimeoutMs: -1, topology: null, owned: null, processId: null, endpoint: null },
  ...{ clientTags: null, shutdownApplication: false },
};

/** A subtopology from the topics that a test names. */
export function subtopologyOf(
  subtopologyId: string,
  topics: {
    readonly from: readonly string[];
    readonly through?: Readonly<Record<string, number>>;
    readonly to?: readonly string[];
    readonly stores?: readonly string[];
    readonly together?: readonly string[];
  },
): StreamsSubtopology {
  const topicOf = (name: string, partitionCount = 0) => ({
    name,
    partitionCount,
    replicationFactor: 0,
    configs: {},
  });
  return {
    subtopologyId,
    sourceTopics: topics.from,
    changelogTopics: (topics.stores ?? []).map((name) => topicOf(name)),
    repartitionSinkTopics: topics.to ?? [],
    repartitionSourceTopics: Object.entries(topics.through ?? {}).map(([name, count]) =>
      topicOf(name, count),
    ),
    copartitionGroups: topics.together === undefined ? [] : [topics.together],
  };
}

/** Words are read from `t`, repartitioned and counted. */
export const counting: StreamsTopology = {
  epoch: 0,
  subtopologies: [
    subtopologyOf('0', { from: ['t'], to: ['r'] }),
    subtopologyOf('1', { from: [], through: { r: 0 }, stores: ['c'] }),
  ],
};

/** A streams group with topics and a clock, for tests. Tasks read `0:0,1 1:2`, standbys follow a stroke. */
export class StreamsStory {
  readonly group = new StreamsGroup('g');
  readonly topics = new StoryTopics();
  rules: StreamsRules;
  nowMs = 1_000;

  constructor(topics: Readonly<Record<string, number>>, rules: Partial<StreamsRules> = {}) {
    this.rules = { ...streamsStoryRules, ...rules };
    for (const [name, count] of Object.entries(topics)) this.topics.set(name, count);
  }

  heartbeat(
    memberId: string,
    memberEpoch: number,
    fields: Partial<StreamsHeartbeat> = {},
  ): StreamsHeartbeatAnswer {
    return this.run({
      kind: 'heartbeat',
      heartbeat: { ...unchanged, groupId: 'g', memberId, memberEpoch, ...fields },
    }).answer;
  }

  join(memberId: string, fields: Partial<StreamsHeartbeat> = {}): StreamsHeartbeatAnswer {
    const owned = { active: [], standby: [] };
    return this.heartbeat(memberId, 0, {
      ...{ rebalanceTimeoutMs: 30_000, topology: counting, owned, processId: memberId, ...fields },
    });
  }

  /** Creates the topics that an answer asks for, as the agent does. */
  create({ topicsToCreate }: StreamsHeartbeatAnswer): void {
    for (const { name, partitionCount } of topicsToCreate) this.topics.set(name, partitionCount);
    if (topicsToCreate.length > 0)
      this.run({ kind: 'topics', names: topicsToCreate.map(({ name }) => name) });
  }

  run<Kind extends keyof StreamsEvents>(
    event: EventOf<StreamsEvents, Kind>,
  ): {
    readonly answer: AnswerOf<StreamsEvents, Kind>;
    readonly effects: StreamsStep;
  } {
    return step(this.group, event, this.nowMs, this.rules, this.topics);
  }
}

export function tasksText({ tasks }: Pick<StreamsHeartbeatAnswer, 'tasks'>): string | null {
  if (tasks === null) return null;
  const text = (list: typeof tasks.active) =>
    [...list]
      .sort((a, b) => (a.subtopologyId < b.subtopologyId ? -1 : 1))
      .map(({ subtopologyId, partitions }) => `${subtopologyId}:${partitions.join()}`)
      .join(' ');
  return tasks.standby.length === 0 ? text(tasks.active) : `${text(tasks.active)} | ${text(tasks.standby)}`;
}
