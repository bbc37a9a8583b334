import type { PartitionsOfEndpoint, StreamsEndpoint, StreamsTopology } from '@weir/cluster';
import {
  addTopic,
  charsOf,
  ModernGroup,
  type ModernMember,
  type TopicsView,
} from '../modern/modern-group.ts';
import type { ConfiguredTopology } from './configure-topology.ts';
import type { StreamsHolding } from './reconcile.ts';
import type { Tasks, TasksByKind } from './sticky-assignor.ts';
import { requiredTopics, sourcesOf } from './topology.ts';

/** The epoch of a static member that left temporarily. */
export const awayEpoch = -2;

const firstEpoch = 1;

export interface StreamsMember extends ModernMember {
  readonly instanceId: string | null;
  /** The time limit to give up tasks. */
  rebalanceTimeoutMs: number;
  topologyEpoch: number;
  processId: string;
  /** Where the application answers queries about its tasks. */
  endpoint: StreamsEndpoint | null;
  clientTags: Readonly<Record<string, string>>;
  /** Changed by `setHolding` only. */
  holding: StreamsHolding;
  /** When it is removed unless it has given up its tasks. */
  rebalanceDeadlineMs: number | undefined;
}

/**
 * The state of a streams group (KIP-1071). The functions of this folder change it. The class maintains the values that
 * are derived from the members and the topology.
 */
export class StreamsGroup extends ModernGroup<StreamsMember> {
  /** The number of standbys of each task that `epoch` is based on. */
  standbyCount = 0;
  /** The target standby tasks of each member; `targets` has the active ones. */
  standbyTargets = new Map<string, Tasks>();
  /** What follows from the topology and the topics; `undefined` until this leader has looked. */
  configured: ConfiguredTopology | undefined;
  /** Until when the first assignment waits for more members. */
  delayedUntilMs = Number.NEGATIVE_INFINITY;
  /** The pause after a computation of the targets that the size of the group requires. */
  assignmentPauseMs = 0;
  /** The member that asked all others to stop, until the group has no members. */
  shutdownBy: string | undefined;
  /** Rises with every change of what endpoints serve. */
  endpointEpoch = 0;
  /** What the endpoints serve as of this epoch, once a member has asked. */
  endpoints: { readonly epoch: number; readonly list: readonly PartitionsOfEndpoint[] } | undefined;
  #topology: StreamsTopology | undefined;
  #required: ReadonlySet<string> = new Set();
  #subtopologyOf = new Map<string, string>();
  readonly #staticMembers = new Map<string, string>();
  readonly #actives = new Holders();
  readonly #standbys = new Holders();

  /**
   * The first epoch is 1, with a target of no tasks: members that wait for the first assignment have joined with it,
   * and do not join again.
   */
  constructor(groupId: string) {
    super(groupId);
    this.epoch = firstEpoch;
    this.assignmentEpoch = firstEpoch;
  }

  /** Set by the first member. */
  get topology(): StreamsTopology | undefined {
    return this.#topology;
  }

  setTopology(topology: StreamsTopology): void {
    const chars = JSON.stringify(topology).length;
    this.addChars(chars - (this.#topology === undefined ? 0 : JSON.stringify(this.#topology).length));
    this.#topology = topology;
    this.#required = requiredTopics(topology);
    this.#subtopologyOf = new Map(
      topology.subtopologies.flatMap((subtopology) =>
        sourcesOf(subtopology).map((name): [string, string] => [name, subtopology.subtopologyId]),
      ),
    );
  }

  get isReady(): boolean {
    const { configured } = this;
    return configured !== undefined && configured.problem === undefined && configured.invalid === undefined;
  }

  /** The subtopology that reads a topic. */
  subtopologyOf(topicName: string): string | undefined {
    return this.#subtopologyOf.get(topicName);
  }

  override isSubscribedTo(name: string): boolean {
    return this.members.size > 0 && this.#subtopologyOf.has(name);
  }

  override isConcernedBy(name: string): boolean {
    return this.#required.has(name);
  }

  override findTopics(view: TopicsView): Map<string, number> {
    const found = new Map<string, number>();
    for (const name of this.#required) addTopic(found, view, name);
    return found;
  }

  member(memberId: string): StreamsMember | undefined {
    return this.members.get(memberId);
  }

  staticMember(instanceId: string): StreamsMember | undefined {
    const memberId = this.#staticMembers.get(instanceId);
    return memberId === undefined ? undefined : this.members.get(memberId);
  }

  tasksOf(memberId: string): TasksByKind {
    return { active: this.targetOf(memberId), standby: this.standbyTargets.get(memberId) ?? new Map() };
  }

  /**
   * Whether a task may start at a member. An active task waits until no other member runs it; and a process has one
   * copy of a task, so both kinds wait until other members of the process have given theirs up.
   */
  isFree(
    { memberId, processId }: StreamsMember,
    kind: keyof TasksByKind,
    subtopologyId: string,
    partition: number,
  ): boolean {
    for (const holder of this.#actives.of(subtopologyId, partition)) {
      if (holder === memberId) continue;
      if (kind === 'active' || this.member(holder)?.processId === processId) return false;
    }
    for (const holder of this.#standbys.of(subtopologyId, partition)) {
      if (holder !== memberId && this.member(holder)?.processId === processId) return false;
    }
    return true;
  }

  add(member: StreamsMember): void {
    this.setMember(member);
    this.addChars(charsOfMember(member));
    if (member.instanceId !== null) this.#staticMembers.set(member.instanceId, member.memberId);
    this.#hold(member, 1);
  }

  remove(member: StreamsMember): void {
    this.deleteMember(member);
    this.addChars(-charsOfMember(member));
    const { instanceId, memberId } = member;
    if (instanceId !== null && this.#staticMembers.get(instanceId) === memberId)
      this.#staticMembers.delete(instanceId);
    this.#hold(member, -1);
    this.targets.delete(memberId);
    this.standbyTargets.delete(memberId);
    if (member.endpoint !== null) this.endpointEpoch++;
    if (this.members.size === 0) this.shutdownBy = undefined;
  }

  setHolding(member: StreamsMember, holding: StreamsHolding): void {
    this.#hold(member, -1);
    member.holding = holding;
    this.#hold(member, 1);
  }

  /** Changes fields whose size counts. */
  change(member: StreamsMember, change: (member: StreamsMember) => void): void {
    const before = charsOfMember(member);
    change(member);
    this.addChars(charsOfMember(member) - before);
  }

  #hold({ memberId, holding }: StreamsMember, difference: 1 | -1): void {
    for (const { active, standby } of [holding.assigned, holding.revoking]) {
      this.#actives.count(memberId, active, difference);
      this.#standbys.count(memberId, standby, difference);
    }
  }
}

/** The members that have each task. */
class Holders {
  readonly #bySubtopology = new Map<string, Map<number, Set<string>>>();

  of(subtopologyId: string, partition: number): Iterable<string> {
    return this.#bySubtopology.get(subtopologyId)?.get(partition) ?? [];
  }

  count(memberId: string, tasks: Tasks, difference: 1 | -1): void {
    for (const [subtopologyId, partitions] of tasks) {
      let byPartition = this.#bySubtopology.get(subtopologyId);
      if (byPartition === undefined) {
        byPartition = new Map();
        this.#bySubtopology.set(subtopologyId, byPartition);
      }
      for (const partition of partitions) {
        const holders = byPartition.get(partition);
        if (difference === 1) {
          if (holders === undefined) byPartition.set(partition, new Set([memberId]));
          else holders.add(memberId);
        } else if (holders?.delete(memberId) === true && holders.size === 0) byPartition.delete(partition);
      }
      if (byPartition.size === 0) this.#bySubtopology.delete(subtopologyId);
    }
  }
}

/** The size of what a member has stored, in characters. */
export function charsOfMember({
  memberId,
  processId,
  endpoint,
  clientTags,
}: Pick<StreamsMember, 'memberId' | 'processId' | 'endpoint' | 'clientTags'>): number {
  return charsOf(memberId, [processId, endpoint?.host ?? '', ...Object.entries(clientTags).flat()]);
}
