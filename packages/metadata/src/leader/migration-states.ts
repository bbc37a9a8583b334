import {
  type AgentConfirmation,
  agentSilenceMsMax,
  ClusterUnavailable,
  type ManagedTopicState,
  type ManagedTopicsQuery,
  type MigrationStateAnswer,
  type MigrationStateChanges,
  migrationTransitions,
} from '@weir/cluster';
import type { Clock } from '@weir/core';
import { metadataLimits } from '../limits.ts';
import type { Agents } from './agents.ts';
import type { Machine } from './machine-kind.ts';

/** Stands behind the ids of agents for those that a leader cannot know of yet. */
const unknownAgents = 'agents that a new leader does not know yet';

interface MigrationStatesOptions {
  readonly machine: Pick<Machine, 'managedTopics'>;
  readonly agents: Pick<Agents, 'ids'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** The term of the leader, higher than all earlier terms. */
  readonly term: number;
}

interface Confirming {
  readonly atMs: number;
  /** By topic. */
  readonly topics: ReadonlyMap<string, Pick<AgentConfirmation, 'epoch' | 'forwardedRecords'>>;
}

/**
 * What agents do with topics that are being migrated, by their own account. In memory only: agents report
 * to each leader.
 *
 * An agent passes batches on to the source only while a leader has answered it lately, so that one that has been silent
 * for `agentSilenceMsMax` does not. A new leader may not know all agents before that time is over.
 */
export class MigrationStates {
  readonly #options: MigrationStatesOptions;
  readonly #beganMs: number;
  /** By agent. */
  readonly #confirmed = new Map<string, Confirming>();
  /** Records by topic that were passed on by agents that are gone. */
  readonly #forwardedBefore = new Map<string, number>();

  constructor(options: MigrationStatesOptions) {
    this.#options = options;
    this.#beganMs = options.clock.monotonicMs();
  }

  /** Each report has all topics that the agent knows as managed. */
  confirm(agentId: string, topics: readonly AgentConfirmation[]): void {
    if (topics.length > metadataLimits.migrationTopicsMax)
      throw new RangeError(`an agent confirms at most ${metadataLimits.migrationTopicsMax} topics`);
    // An agent that the leader does not know must not go on: the leader would not wait for it.
    if (![...this.#options.agents.ids()].includes(agentId))
      throw new ClusterUnavailable(`agent ${agentId} has sent no heartbeat yet`);
    const before = this.#confirmed.get(agentId)?.topics;
    const confirmed = new Map<string, Pick<AgentConfirmation, 'epoch' | 'forwardedRecords'>>();
    for (const { topicId, epoch, forwardedRecords } of topics) {
      const known = before?.get(topicId)?.forwardedRecords ?? 0;
      // It was started again, and counts from 0.
      if (forwardedRecords < known) this.#keep(topicId, known);
      confirmed.set(topicId, { epoch, forwardedRecords });
    }
    for (const [topicId, { forwardedRecords }] of before ?? [])
      if (!confirmed.has(topicId)) this.#keep(topicId, forwardedRecords);
    this.#confirmed.set(agentId, { atMs: this.#options.clock.monotonicMs(), topics: confirmed });
    this.#forgetGone();
  }

  /** Whether an agent may still pass batches of one of the topics on; one line that says so. */
  problemOf({ topics, to }: MigrationStateChanges): string | undefined {
    if (!topics.some(({ from }) => migrationTransitions[from][to]?.needsConfirmation === true))
      return undefined;
    if (!this.#knowsAllAgents())
      return 'The control plane leads the cluster for some seconds only, and does not know all agents yet.';
    for (const { topicId, epoch } of topics) {
      const [agentId] = this.#unconfirmed(topicId, epoch);
      if (agentId !== undefined)
        return `Agent ${agentId} has not confirmed that it passes nothing on to the source any more.`;
    }
    return undefined;
  }

  list(query: ManagedTopicsQuery): ManagedTopicState[] {
    const states: ManagedTopicState[] = [];
    for (const known of this.#options.machine.managedTopics(query)) {
      const { topicId } = known.topic;
      states.push({
        ...known,
        forwardedRecords: this.#forwardedRecords(topicId),
        unconfirmedAgents: this.#unconfirmed(topicId, known.migration.epoch),
      });
    }
    return states.sort((one, other) => (one.topic.name < other.topic.name ? -1 : 1));
  }

  #unconfirmed(topicId: string, epoch: number): string[] {
    // One that left the list may pass batches on until its last confirmation is too old.
    this.#forgetGone();
    const agents = new Set([...this.#options.agents.ids(), ...this.#confirmed.keys()]);
    const known = [...agents].filter(
      (agentId) => (this.#confirmed.get(agentId)?.topics.get(topicId)?.epoch ?? -1) < epoch,
    );
    return this.#knowsAllAgents() ? known : [...known, unknownAgents];
  }

  #knowsAllAgents(): boolean {
    const { clock, term } = this.#options;
    return term === 1 || clock.monotonicMs() - this.#beganMs >= agentSilenceMsMax;
  }

  #forwardedRecords(topicId: string): number {
    let sum = this.#forwardedBefore.get(topicId) ?? 0;
    for (const { topics } of this.#confirmed.values()) sum += topics.get(topicId)?.forwardedRecords ?? 0;
    return sum;
  }

  #forgetGone(): void {
    const present = new Set(this.#options.agents.ids());
    const oldestMs = this.#options.clock.monotonicMs() - agentSilenceMsMax;
    for (const [agentId, { atMs, topics }] of this.#confirmed) {
      if (present.has(agentId) || atMs > oldestMs) continue;
      for (const [topicId, { forwardedRecords }] of topics) this.#keep(topicId, forwardedRecords);
      this.#confirmed.delete(agentId);
    }
  }

  #keep(topicId: string, records: number): void {
    if (records === 0) return;
    this.#forwardedBefore.set(topicId, (this.#forwardedBefore.get(topicId) ?? 0) + records);
  }
}

/** A change that was refused because an agent has not confirmed what the change needs. */
export function notConfirmed(message: string): MigrationStateAnswer {
  return { error: 'NOT_CONFIRMED', message, topics: [] };
}
