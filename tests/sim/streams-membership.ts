import { type AnyBrokerClient, Refused, refuse } from './any-broker-client.ts';
import type { Bootstrap } from './bootstrap.ts';
import type { Generation, GroupMembership } from './membership.ts';

const rebalanceTimeoutMs = 6_000;
const requestTimeoutMs = 3_000;
const subtopologyId = '0';

/** A member of a streams group (KIP-1071) whose application reads a topic and keeps no state. */
export class StreamsMembership implements GroupMembership {
  readonly groupId: string;
  readonly #client: AnyBrokerClient;
  readonly #bootstrap: Bootstrap;
  readonly #name: string;
  #joins = 0;
  #generation: Generation | undefined;

  constructor(client: AnyBrokerClient, bootstrap: Bootstrap, groupId: string, name: string) {
    this.#client = client;
    this.#bootstrap = bootstrap;
    this.groupId = groupId;
    this.#name = name;
  }

  async current(): Promise<Generation> {
    const known = this.#generation;
    const memberId = known?.memberId ?? `${this.#name}-${++this.#joins}`;
    const owned = known === undefined || known.partitions.length === 0 ? [] : [tasks(known.partitions)];
    const answer = await this.#client.request(
      'StreamsGroupHeartbeat',
      {
        ...{ groupId: this.groupId, memberId, memberEpoch: known?.generationId ?? 0 },
        endpointInformationEpoch: 0,
        ...(known === undefined ? this.#firstFields() : {}),
        ...{ activeTasks: owned, standbyTasks: [], warmupTasks: [] },
      },
      requestTimeoutMs,
    );
    refuse('StreamsGroupHeartbeat', answer.errorCode);
    const partitions = answer.activeTasks?.flatMap((one) => one.partitions) ?? known?.partitions ?? [];
    if (
      known === undefined ||
      known.generationId !== answer.memberEpoch ||
      !isSame(known.partitions, partitions)
    ) {
      this.#generation = { memberId, generationId: answer.memberEpoch, partitions };
    }
    return this.#generation!;
  }

  failed(error: unknown): void {
    if (!(error instanceof Refused)) return;
    const isOver = ['UNKNOWN_MEMBER_ID', 'FENCED_MEMBER_EPOCH', 'GROUP_ID_NOT_FOUND'];
    if (isOver.includes(error.error)) this.#generation = undefined;
  }

  async leave(): Promise<void> {
    const known = this.#generation;
    this.#generation = undefined;
    if (known === undefined) return;
    const { groupId } = this;
    const body = { groupId, memberId: known.memberId, memberEpoch: -1, endpointInformationEpoch: 0 };
    await this.#client.request('StreamsGroupHeartbeat', body, requestTimeoutMs);
  }

  #firstFields() {
    const nothing = { stateChangelogTopics: [], repartitionSinkTopics: [], repartitionSourceTopics: [] };
    const source = { sourceTopics: [this.#bootstrap.topicName], sourceTopicRegex: [] };
    return {
      ...{ rebalanceTimeoutMs, processId: this.#name },
      topology: {
        epoch: 0,
        subtopologies: [{ subtopologyId, ...source, ...nothing, copartitionGroups: [] }],
      },
    };
  }
}

function tasks(partitions: readonly number[]) {
  return { subtopologyId, partitions: [...partitions] };
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((partition, index) => partition === b[index]);
}
