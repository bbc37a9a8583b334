import type { Clock } from '@weir/core';
import type { ManagedTopicState, ManagedTopicView, TopicsDestination } from '../destination.ts';
import type { MigrationEvent } from '../migration-event.ts';
import type { SourceWatch } from './source-watch.ts';
import type { UnproxiedWrites } from './unproxied-writes.ts';

/** How long clients have to try again, at most. Producers give up after two minutes or later. */
const blockedMsMax = 30_000;

/** The copy may be behind by this, and by what the source gets meanwhile. */
const lagOffsetsMax = 1_000;
const lagMsMax = 2_000;

interface CutOverOptions {
  readonly destination: Pick<TopicsDestination, 'list' | 'changeStates'>;
  /** Reads where the logs of these topics end at the source. */
  readonly readEnds: (topics: readonly ManagedTopicState[]) => Promise<void>;
  /** Compares the ends of copies with the source, where that was not done. Returns why that is not known, if so. */
  readonly compareEnds: (topics: readonly ManagedTopicState[]) => Promise<string | undefined>;
  /** Takes what belongs to topics beside their records. Returns why that is not done, if so. */
  readonly takeRest: (topics: readonly ManagedTopicState[]) => Promise<string | undefined>;
  readonly watchOf: (topicId: string) => SourceWatch;
  readonly unproxiedOf: (topicId: string) => UnproxiedWrites;
  readonly onEvent: (event: MigrationEvent) => void;
  readonly clock: Clock;
}

/**
 * Drives topics whose cut-over was asked for: blocks writes once the copies are close to the source, and hands the
 * topics over once they have all of it. Topics that were asked for together go together.
 */
export class CutOver {
  readonly #options: CutOverOptions;
  /** By topic: why it cannot go on, in one line. */
  readonly #held = new Map<string, string>();
  /** Ends of a set at an earlier time, for the rate. */
  readonly #earlier = new Map<string, { readonly atMs: number; readonly ends: number }>();

  constructor(options: CutOverOptions) {
    this.#options = options;
  }

  holdOf(topicId: string): string | undefined {
    return this.#held.get(topicId);
  }

  /** Whether one of these topics is on its way. */
  isWanted(topics: readonly ManagedTopicView[]): boolean {
    return topics.some(isUnderway);
  }

  /** Goes on as far as it can. Returns whether producers wait for it. */
  async step(topics: readonly ManagedTopicView[]): Promise<boolean> {
    let isBlocking = false;
    const underway = topics.filter(isUnderway);
    const ids = new Set(underway.map(({ topicId }) => topicId));
    for (const topicId of this.#held.keys()) if (!ids.has(topicId)) this.#held.delete(topicId);
    for (const [key, set] of Map.groupBy(underway, setOf)) {
      const states = await this.#options.destination.list(set.map(({ topicId }) => topicId));
      // They changed meanwhile: the view follows.
      const isSame = set.every((view) =>
        states.some(
          ({ topic, migration }) => topic.topicId === view.topicId && migration.epoch === view.epoch,
        ),
      );
      if (!isSame || states.length !== set.length) continue;
      if (set[0]!.state === 'PROXY') isBlocking = (await this.#block(key, states)) || isBlocking;
      else isBlocking = !(await this.#complete(states)) || isBlocking;
    }
    return isBlocking;
  }

  /** Returns whether writes are blocked now. */
  async #block(key: string, states: readonly ManagedTopicState[]): Promise<boolean> {
    const { readEnds, watchOf, unproxiedOf, destination, clock } = this.#options;
    await readEnds(states);
    const atMs = clock.monotonicMs();
    const watches = states.map(({ topic }) => watchOf(topic.topicId));
    const ends = watches.reduce((sum, { endSum }) => sum + endSum, 0);
    const earlier = this.#earlier.get(key);
    if (earlier === undefined || atMs - earlier.atMs > lagMsMax) this.#earlier.set(key, { atMs, ends });
    const perMs =
      earlier === undefined ? 0 : Math.max(0, ends - earlier.ends) / Math.max(1, atMs - earlier.atMs);
    let isHeld = false;
    const hold = ({ topic }: ManagedTopicState, reason: string) => {
      isHeld = true;
      this.#hold(topic.topicId, topic.name, reason);
    };
    let lag = 0;
    for (const [index, state] of states.entries()) {
      const watch = watches[index]!;
      const unproxied = unproxiedOf(state.topic.topicId);
      lag += watch.lag(state.nextOffset);
      const [stopped] = watch.stopped;
      if (stopped !== undefined) hold(state, stoppedLine(stopped));
      else if (!watch.isComplete) hold(state, 'some partitions do not answer at the source');
      else if (unproxied.isRising)
        hold(
          state,
          `${unproxied.count} records reached the source without the agents: let these producers write to the agents, or stop them`,
        );
      else if (!unproxied.isKnown || !unproxied.isExplained) {
        isHeld = true;
        this.#held.set(state.topic.topicId, 'watches for some seconds whether others write to the source');
      }
    }
    const lagMax = lagOffsetsMax + perMs * lagMsMax;
    if (!isHeld && lag > lagMax)
      for (const state of states)
        hold(state, `the copies are ${lag} offsets behind; the cut-over begins at ${Math.round(lagMax)}`);
    // Last, because it reads records. What differs is among the stopped partitions then.
    const unknown = isHeld ? undefined : await this.#options.compareEnds(states);
    if (!isHeld)
      for (const [index, state] of states.entries()) {
        const [stopped] = watches[index]!.stopped;
        if (stopped !== undefined) hold(state, stoppedLine(stopped));
        else if (unknown !== undefined) hold(state, unknown);
      }
    // Before writes are blocked, so that little is left for the time in which they are.
    const unread = isHeld ? undefined : await this.#options.takeRest(states);
    if (unread !== undefined) for (const state of states) hold(state, unread);
    if (isHeld) {
      // The others wait for those that are held.
      for (const { topic } of states)
        if (!this.#held.has(topic.topicId))
          this.#held.set(topic.topicId, 'waits for topics of the same cut-over');
      return false;
    }
    const { error, message } = await destination.changeStates({
      topics: states.map(changeOf),
      to: 'BLOCKED',
      lastsMs: blockedMsMax,
      reason: 'the copies are close to the source',
    });
    if (error === 'NONE') this.#earlier.delete(key);
    else if (error !== 'CHANGED') for (const state of states) hold(state, message ?? error);
    return error === 'NONE';
  }

  /** Returns whether the topics are handed over. */
  async #complete(states: readonly ManagedTopicState[]): Promise<boolean> {
    const { readEnds, watchOf, destination } = this.#options;
    // What an agent still passes on would arrive after the ends were read.
    const unconfirmed = new Set(states.flatMap(({ unconfirmedAgents }) => unconfirmedAgents));
    if (unconfirmed.size > 0) {
      for (const { topic } of states)
        this.#held.set(
          topic.topicId,
          `waits for agents to stop passing writes on: ${[...unconfirmed].join(', ')}`,
        );
      return false;
    }
    await readEnds(states);
    // The copies may have gone on while the ends were read.
    const copies = await destination.list(states.map(({ topic }) => topic.topicId));
    let isReady = copies.length === states.length;
    for (const { topic, nextOffset, lastStableOffset } of copies) {
      const watch = watchOf(topic.topicId);
      const isStable = nextOffset.every((next, at) => (lastStableOffset[at] ?? next) >= next);
      const reason = !watch.isCopied(nextOffset)
        ? `the copy is ${watch.lag(nextOffset)} offsets behind`
        : watch.unchangedReads < 2
          ? 'the ends at the source are read again'
          : isStable
            ? undefined
            : 'a transaction of the source is open';
      if (reason === undefined) this.#held.delete(topic.topicId);
      else {
        isReady = false;
        this.#held.set(topic.topicId, reason);
      }
    }
    if (!isReady) return false;
    // What arrived since writes were blocked.
    const unknown = await this.#options.compareEnds(copies);
    for (const { topic } of copies) {
      const [stopped] = watchOf(topic.topicId).stopped;
      const reason = stopped === undefined ? unknown : stoppedLine(stopped);
      if (reason === undefined) continue;
      isReady = false;
      this.#held.set(topic.topicId, reason);
    }
    if (!isReady) return false;
    // The source has all that groups will find here, and no commit is copied afterwards.
    const unread = await this.#options.takeRest(copies);
    if (unread !== undefined) {
      for (const { topic } of copies) this.#held.set(topic.topicId, unread);
      return false;
    }
    const { error, message } = await destination.changeStates({
      topics: states.map(changeOf),
      to: 'MIGRATED',
      reason: 'the copies have all of the source',
    });
    if (error !== 'NONE' && error !== 'CHANGED')
      for (const { topic } of states) this.#held.set(topic.topicId, message ?? error);
    return error === 'NONE';
  }

  #hold(topicId: string, topic: string, reason: string): void {
    const isNew = !this.#held.has(topicId);
    this.#held.set(topicId, reason);
    if (!isNew) return;
    this.#options.onEvent({
      type: 'auto_migration_held_back',
      level: 'warn',
      topic,
      message: 'held cut-over back',
      fields: { reason },
    });
  }
}

function stoppedLine([partition, reason]: readonly [number, string]): string {
  return `partition ${partition} is stopped: ${reason}`;
}

function isUnderway({ state, deadlineMs }: ManagedTopicView): boolean {
  return state === 'BLOCKED' || (state === 'PROXY' && deadlineMs !== undefined);
}

/** Topics that changed with one command. */
function setOf({ state, changedMs, deadlineMs, changedBy }: ManagedTopicView): string {
  return `${state} ${changedMs} ${deadlineMs ?? ''} ${changedBy}`;
}

export function changeOf({ topic, migration }: ManagedTopicState) {
  return { topicId: topic.topicId, from: migration.state, epoch: migration.epoch };
}
