import { type Clock, pauseUnlessStopped } from '@weir/core';
import { errors } from '@weir/wire';
import { copyAcls } from '../../configs/copy-acls.ts';
import { copyClusterConfigs } from '../../configs/copy-cluster-configs.ts';
import { mapTopics } from '../../configuration/map-topics.ts';
import type { MigrationConfiguration, TopicMapping } from '../../configuration/migration-configuration.ts';
import { logEnds } from '../../source/log-ends.ts';
import { sourceAcls } from '../../source/source-acls.ts';
import type { SourceCluster } from '../../source/source-cluster.ts';
import { brokerConfigs } from '../../source/source-configs.ts';
import { sourceProblem } from '../../source/source-problem.ts';
import { type SourceTopic, sourceTopics } from '../../source/source-topics.ts';
import { findTruncation } from '../../truncation/find-truncation.ts';
import { compareEnds } from '../compare-ends.ts';
import type { ManagedTopicState, SourceTopicReport, TopicsDestination } from '../destination.ts';
import type { MigrationEvent } from '../migration-event.ts';
import { CutOver, changeOf } from './cut-over.ts';
import {
  createTopics,
  type FollowedTopic,
  followConfigs,
  growTopics,
  moveLogStarts,
} from './follow-topics.ts';
import { CopiedOffsets } from './group-offsets.ts';
import { SourceWatch } from './source-watch.ts';
import { StateEvents } from './state-events.ts';
import { UnproxiedWrites } from './unproxied-writes.ts';

export interface TopicsRunOptions {
  readonly source: SourceCluster;
  readonly destination: TopicsDestination;
  readonly configuration: MigrationConfiguration;
  readonly onEvent: (event: MigrationEvent) => void;
  /** Records that a source got without the agents, since the last call. */
  readonly onUnproxied: (topicName: string, records: number) => void;
  readonly onLag: (topicName: string, offsets: number) => void;
  /** How often topics, groups and ends are read. Tests read more often. */
  readonly roundMs?: number | undefined;
  /** How long topics are watched for writes past the agents. Tests watch for a shorter time. */
  readonly watchMs?: number | undefined;
  readonly clock: Clock;
  readonly stop: AbortSignal;
}

const tickMs = 250;
/** While producers wait for a cut-over. */
const blockedTickMs = 50;
/** So long nothing else is done then. */
const blockedAloneMs = 10_000;
const usualRoundMs = 5_000;
/** Configs, ACLs. */
const slowRoundMs = 30_000;
const proxyReadMs = 2_000;
const reportMs = 3_000;
const failedPauseMsMax = 30_000;
/** So often a source says that a topic is not there before its copy is deleted. */
const missingMax = 3;

/** Keeps the topics, groups and states of a migration, until it is stopped. */
export class TopicsRun {
  readonly #options: TopicsRunOptions;
  readonly #clock: Clock;
  readonly #stop: AbortSignal;
  /** By topic id. */
  readonly #watches = new Map<string, SourceWatch>();
  readonly #unproxied = new Map<string, UnproxiedWrites>();
  /** By name at the source: how often it was missing in a row. */
  readonly #missing = new Map<string, number>();
  /** By name here, of the last round. */
  #problems = new Map<string, { readonly sourceTopic: string; readonly message: string }>();
  readonly #reportedProblems = new Set<string>();
  readonly #createdAcls = new Set<string>();
  readonly #stateEvents = new StateEvents();
  readonly #offsets: CopiedOffsets;
  readonly #cutOver: CutOver;
  #error: string | undefined;
  /** Why offsets of groups are not copied, in one line. */
  #offsetsError: string | undefined;
  #isConnected: boolean | undefined;
  #configsAreCopied = false;
  #leaders = new Map<string, SourceTopic>();

  constructor(options: TopicsRunOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#stop = options.stop;
    this.#offsets = new CopiedOffsets({
      ...options,
      groupPrefix: options.configuration.groups.destinationPrefix,
    });
    this.#cutOver = new CutOver({
      ...options,
      readEnds: (states) => this.#readEnds(states),
      compareEnds: (states) => this.#compareEnds(states),
      takeRest: (states) => this.#takeRest(states),
      watchOf: (topicId) => this.#watches.get(topicId) ?? new SourceWatch('', 0),
      unproxiedOf: (topicId) => this.#unproxiedOf(topicId),
    });
  }

  async run(): Promise<void> {
    const { destination, roundMs = usualRoundMs } = this.#options;
    const never = Number.NEGATIVE_INFINITY;
    let [roundedMs, slowMs, reportedMs, proxyMs, failureCount] = [never, never, never, never, 0];
    while (!this.#stop.aborted) {
      let pauseMs = tickMs;
      try {
        const nowMs = this.#clock.monotonicMs();
        const isBlocked = destination.managedTopics().some(({ state }) => state === 'BLOCKED');
        if (nowMs - roundedMs >= roundMs + (isBlocked ? blockedAloneMs : 0)) {
          const isSlow = nowMs - slowMs >= slowRoundMs;
          await this.#round(isSlow);
          roundedMs = this.#clock.monotonicMs();
          if (isSlow) slowMs = roundedMs;
        } else if (!isBlocked && nowMs - proxyMs >= proxyReadMs) {
          await this.#readProxied();
          proxyMs = this.#clock.monotonicMs();
        }
        const views = destination.managedTopics();
        for (const event of this.#stateEvents.observe(views)) this.#options.onEvent(event);
        if (await this.#cutOver.step(views)) pauseMs = blockedTickMs;
        this.#connected();
        failureCount = 0;
      } catch (error) {
        if (this.#stop.aborted) break;
        this.#failed(error);
        pauseMs = Math.min(failedPauseMsMax, 500 * 2 ** Math.min(failureCount++, 10));
      }
      if (
        this.#clock.monotonicMs() - reportedMs >= reportMs ||
        this.#cutOver.isWanted(destination.managedTopics())
      ) {
        this.#report();
        reportedMs = this.#clock.monotonicMs();
      }
      await pauseUnlessStopped(this.#clock, pauseMs, this.#stop);
    }
  }

  #connected(): void {
    if (this.#isConnected !== true)
      this.#options.onEvent({ type: 'source_connected', level: 'info', message: 'connected to source' });
    this.#isConnected = true;
    this.#error = undefined;
  }

  #failed(error: unknown): void {
    const problem = sourceProblem(error);
    if (this.#error !== problem)
      this.#options.onEvent({
        type: 'source_failed',
        level: 'error',
        message: 'failed to follow source',
        fields: { error: problem },
      });
    this.#isConnected = false;
    this.#error = problem;
  }

  async #round(isSlow: boolean): Promise<void> {
    const { source, destination, configuration, clock } = this.#options;
    const { topics: found, refused } = await sourceTopics(source);
    this.#leaders = new Map(found.map((topic) => [topic.name, topic]));
    const map = await mapTopics(configuration.mappings, found, clock);
    const before = await destination.list();
    const managedNames = new Set(before.map(({ topic }) => topic.name));
    const managedSources = new Set(before.map(({ migration }) => migration.sourceTopic));
    const problems = new Map<string, { sourceTopic: string; message: string }>();
    for (const { source: sourceTopic, reason } of map.refused)
      if (!this.#leaders.get(sourceTopic)?.isInternal)
        problems.set(sourceTopic, { sourceTopic, message: reason });

    const wanted = map.mapped
      .filter(({ source: name, destination: here }) => !managedSources.has(name) && !managedNames.has(here))
      .map((mapped) => ({ mapped, found: this.#leaders.get(mapped.source)! }));
    const notCreated = await createTopics(this.#options, wanted);
    for (const { mapped } of wanted) {
      const message = notCreated.get(mapped.source);
      if (message !== undefined) problems.set(mapped.destination, { sourceTopic: mapped.source, message });
    }

    const mappings = new Map(map.mapped.map(({ source: name, mapping }) => [name, mapping]));
    const managed = wanted.length > notCreated.size ? await destination.list() : before;
    const open = managed.filter(({ migration }) => migration.state !== 'MIGRATED');
    this.#forgetBut(open);
    await this.#readEnds(open);
    const followed: FollowedTopic[] = [];
    for (const state of open) {
      const { migration, topic } = state;
      const at = this.#leaders.get(migration.sourceTopic);
      if (at === undefined) {
        const message = await this.#isMissing(state, refused, configuration.mappings);
        problems.set(topic.name, { sourceTopic: migration.sourceTopic, message });
        continue;
      }
      this.#missing.delete(migration.sourceTopic);
      const verdict = findTruncation(
        { topicId: at.topicId, logStart: 0, endOffset: 0 },
        { topicId: migration.sourceTopicId || null, logStart: 0, nextOffset: 0 },
      );
      if (verdict.kind === 'recreated') {
        problems.set(topic.name, { sourceTopic: at.name, message: verdict.message });
        continue;
      }
      const watch = this.#watches.get(topic.topicId)!;
      followed.push({ found: at, state, watch });
      if (!mappings.has(at.name))
        problems.set(topic.name, {
          sourceTopic: at.name,
          message: 'no mapping matches it any more; it is copied until it is handed over or deleted',
        });
    }
    // Their copies are as of before the ends were read, and so no end of the source is too short by mistake.
    for (const { state, watch } of followed) watch.compare(state.nextOffset);
    const sourceOf = new Map(followed.map(({ found, state }) => [state.topic.name, found.name]));
    for (const [name, message] of await growTopics(this.#options, followed))
      problems.set(name, { sourceTopic: sourceOf.get(name)!, message });
    await moveLogStarts(this.#options, followed);
    await this.#handOver(followed, mappings, problems);
    if (isSlow) await this.#slowRound(followed);
    if (configuration.groups.copiesOffsets) {
      const current = await destination.list();
      this.#offsetsError = offsetsLine(await this.#offsets.round(current));
      this.#readUnproxied(current);
    } else this.#readUnproxied(await destination.list());
    for (const { state, watch } of followed)
      this.#options.onLag(state.topic.name, watch.lag(state.nextOffset));
    this.#setProblems(problems);
  }

  /** Each problem is an event once. */
  #setProblems(problems: Map<string, { readonly sourceTopic: string; readonly message: string }>): void {
    this.#problems = problems;
    const lines = new Set<string>();
    for (const [topic, { sourceTopic, message }] of problems) {
      const line = `${topic} ${message}`;
      lines.add(line);
      if (this.#reportedProblems.has(line)) continue;
      this.#options.onEvent({
        type: 'topic_refused',
        level: 'warn',
        topic,
        message: 'failed to follow topic',
        fields: { source_topic: sourceTopic, reason: message },
      });
    }
    this.#reportedProblems.clear();
    for (const line of lines) this.#reportedProblems.add(line);
  }

  #forgetBut(open: readonly ManagedTopicState[]): void {
    const ids = new Set(open.map(({ topic }) => topic.topicId));
    for (const topicId of this.#watches.keys()) if (!ids.has(topicId)) this.#watches.delete(topicId);
    for (const topicId of this.#unproxied.keys()) if (!ids.has(topicId)) this.#unproxied.delete(topicId);
    for (const { topic, migration } of open) {
      const watch = this.#watches.get(topic.topicId);
      if (watch === undefined)
        this.#watches.set(topic.topicId, new SourceWatch(migration.sourceTopic, topic.partitionCount));
      else watch.grow(topic.partitionCount);
    }
  }

  async #readEnds(states: readonly ManagedTopicState[]): Promise<void> {
    const { source } = this.#options;
    const places = states.flatMap(({ topic, migration }) => {
      const found = this.#leaders.get(migration.sourceTopic);
      return Array.from({ length: topic.partitionCount }, (_, partition) => ({
        topic: migration.sourceTopic,
        partition,
        leaderId: found?.partitions[partition]?.leaderId ?? -1,
      }));
    });
    const byTopic = Map.groupBy(await logEnds(source, places), ({ topic }) => topic);
    const nowMs = this.#clock.monotonicMs();
    let isMoved = false;
    for (const { topic, migration } of states) {
      const answers = byTopic.get(migration.sourceTopic) ?? [];
      isMoved ||= answers.some((answer) => 'failure' in answer && answer.failure === 'moved');
      this.#watches.get(topic.topicId)?.read(answers, migration.epoch, nowMs);
    }
    if (!isMoved) return;
    // Between two rounds a cut-over must not wait for the next one.
    const names = [...new Set(states.map(({ migration }) => migration.sourceTopic))];
    for (const topic of (await sourceTopics(source, names)).topics) this.#leaders.set(topic.name, topic);
  }

  /** Compares ends of copies that were not compared yet. Returns why one is not known. */
  async #compareEnds(states: readonly ManagedTopicState[]): Promise<string | undefined> {
    const { source, destination } = this.#options;
    const copies = states.flatMap(({ topic: { topicId }, migration, nextOffset }) =>
      (this.#watches.get(topicId)?.uncompared(nextOffset) ?? []).map((partition) => ({
        topicId,
        sourceTopic: migration.sourceTopic,
        sourceTopicId: migration.sourceTopicId || null,
        partition,
        leaderId: this.#leaders.get(migration.sourceTopic)?.partitions[partition]?.leaderId ?? -1,
        nextOffset: nextOffset[partition]!,
      })),
    );
    let unknown: string | undefined;
    const verdicts = await compareEnds(source, destination, copies);
    for (const [index, { topicId, partition, nextOffset }] of copies.entries()) {
      const verdict = verdicts[index]!;
      const watch = this.#watches.get(topicId);
      if (verdict.kind === 'same') watch?.isSame(partition, nextOffset);
      else if (verdict.kind === 'other') watch?.isOther(partition, verdict.message);
      else
        unknown ??= `the source does not say what it has at the end of partition ${partition}: ${verdict.refusal?.message ?? 'no answer'}`;
    }
    return unknown;
  }

  /**
   * Takes what a source may have beside the records that are copied, before topics are handed over: partitions that it
   * added lately, and offsets of groups. Returns why that is not done, if so.
   */
  async #takeRest(states: readonly ManagedTopicState[]): Promise<string | undefined> {
    const { source, configuration } = this.#options;
    const { topics } = await sourceTopics(
      source,
      states.map(({ migration }) => migration.sourceTopic),
    );
    const found = new Map(topics.map((topic) => [topic.name, topic]));
    for (const { topic, migration } of states) {
      const count = found.get(migration.sourceTopic)?.partitions.length;
      if (count === undefined) return `the source does not describe topic ${migration.sourceTopic}`;
      if (count > topic.partitionCount)
        return `topic ${migration.sourceTopic} has ${count} partitions at the source, and ${topic.partitionCount} here`;
    }
    if (!configuration.groups.copiesOffsets) return undefined;
    return offsetsLine(await this.#offsets.lastRound(states));
  }

  /** What to say about a topic that the source does not have; its copy is deleted if the configuration says so. */
  async #isMissing(
    { topic, migration }: ManagedTopicState,
    refused: readonly { readonly name: string; readonly reason: string }[],
    mappings: readonly TopicMapping[],
  ): Promise<string> {
    const { source, destination, onEvent } = this.#options;
    const { sourceTopic, state } = migration;
    const known = refused.find(({ name }) => name === sourceTopic);
    if (known !== undefined) return known.reason;
    // Brokers leave out what the login may not see, so that only an answer about the topic itself counts.
    const answer = await source.metadata([sourceTopic]);
    const isGone = answer.topics.some(
      ({ name, errorCode }) => name === sourceTopic && errorCode === errors.UNKNOWN_TOPIC_OR_PARTITION.code,
    );
    if (!isGone) return 'the source does not describe the topic at the moment';
    const count = (this.#missing.get(sourceTopic) ?? 0) + 1;
    this.#missing.set(sourceTopic, count);
    const follows = mappings.find((mapping) => mapping.matches(sourceTopic))?.followsDeletions ?? false;
    if (!follows || state !== 'REPLICATING')
      return 'the topic was deleted at the source; its copy stays as it is';
    if (count < missingMax) return 'the topic was deleted at the source; its copy is deleted soon';
    const [result] = await destination.remove([topic.topicId]);
    if (result?.error !== 'NONE') return result?.message ?? 'the copy of a deleted topic cannot be deleted';
    this.#missing.delete(sourceTopic);
    onEvent({
      type: 'topic_deleted',
      level: 'info',
      topic: topic.name,
      message: 'deleted copy of a topic that was deleted at the source',
      fields: { source_topic: sourceTopic },
    });
    return 'the topic was deleted at the source, and its copy here';
  }

  /** Hands topics over that the configuration gives to clients, once the source gets no more records of them. */
  async #handOver(
    followed: readonly FollowedTopic[],
    mappings: ReadonlyMap<string, TopicMapping>,
    problems: Map<string, { sourceTopic: string; message: string }>,
  ): Promise<void> {
    for (const { found, state, watch } of followed) {
      const isWanted = mappings.get(found.name)?.isHandedOver === true;
      if (!isWanted || (state.migration.state !== 'REPLICATING' && state.migration.state !== 'PROXY'))
        continue;
      const say = (message: string) => problems.set(state.topic.name, { sourceTopic: found.name, message });
      if (!watch.isCopied(state.nextOffset))
        say('it is handed over once the copy has all of the source, and the source gets no more records');
      else if (watch.unchangedReads < 2) continue;
      else {
        const unknown = (await this.#compareEnds([state])) ?? (await this.#takeRest([state]));
        const [stopped] = watch.stopped;
        if (unknown !== undefined || stopped !== undefined) {
          say(unknown ?? `partition ${stopped![0]} is stopped: ${stopped![1]}`);
          continue;
        }
        const { error, message } = await this.#options.destination.changeStates({
          topics: [changeOf(state)],
          to: 'MIGRATED',
          reason: 'irreversible_disable_orbit_management',
          isIrreversible: true,
        });
        if (error !== 'NONE' && error !== 'CHANGED') say(message ?? error);
      }
    }
  }

  async #slowRound(followed: readonly FollowedTopic[]): Promise<void> {
    const { source, destination, configuration } = this.#options;
    await followConfigs(this.#options, followed);
    if (configuration.copiesClusterConfiguration && !this.#configsAreCopied) {
      const { configs } = copyClusterConfigs(await brokerConfigs(source));
      const set = destination.clusterConfigs();
      const missing = Object.entries(configs).filter(([name]) => !Object.hasOwn(set, name));
      if (missing.length > 0) await destination.setClusterConfigs(Object.fromEntries(missing));
      this.#configsAreCopied = true;
    }
    if (!configuration.copiesAcls) return;
    const { acls } = await sourceAcls(source);
    const outcomes = copyAcls(acls, {
      topics: followed.map(({ found, state }) => ({ source: found.name, destination: state.topic.name })),
      topicPrefixes: [...new Set(configuration.mappings.map(({ destinationPrefix }) => destinationPrefix))],
      groupPrefix: configuration.groups.destinationPrefix,
    });
    const fresh = outcomes
      .flatMap(({ created }) => created)
      .filter((acl) => !this.#createdAcls.has(JSON.stringify(acl)));
    for (let at = 0; at < fresh.length; at += aclsPerCall) {
      const some = fresh.slice(at, at + aclsPerCall);
      const results = await destination.createAcls(some);
      for (const [index, acl] of some.entries())
        if (results[index]?.message === null) this.#createdAcls.add(JSON.stringify(acl));
    }
  }

  /** Reads what the source got of topics whose writes agents pass on. */
  async #readProxied(): Promise<void> {
    const { destination } = this.#options;
    const ids = destination
      .managedTopics()
      .filter(({ state, topicId }) => isCounted(state) && this.#watches.has(topicId))
      .map(({ topicId }) => topicId);
    if (ids.length === 0) return;
    await this.#readEnds(await destination.list(ids));
    this.#readUnproxied(await destination.list(ids));
  }

  #readUnproxied(states: readonly ManagedTopicState[]): void {
    for (const { topic, migration, forwardedRecords } of states) {
      const watch = this.#watches.get(topic.topicId);
      if (watch === undefined || !watch.isComplete) continue;
      if (!isCounted(migration.state)) {
        this.#unproxied.delete(topic.topicId);
        continue;
      }
      const more = this.#unproxiedOf(topic.topicId).read(watch.endSum, forwardedRecords);
      if (more > 0) this.#options.onUnproxied(topic.name, more);
    }
  }

  #unproxiedOf(topicId: string): UnproxiedWrites {
    const known = this.#unproxied.get(topicId);
    if (known !== undefined) return known;
    const writes = new UnproxiedWrites(this.#clock, this.#options.watchMs);
    this.#unproxied.set(topicId, writes);
    return writes;
  }

  #report(): void {
    const { destination } = this.#options;
    const reports: SourceTopicReport[] = [];
    const views = new Map(destination.managedTopics().map((view) => [view.topicId, view]));
    for (const [topicId, watch] of this.#watches) {
      const view = views.get(topicId);
      if (view === undefined || view.state === 'MIGRATED') continue;
      reports.push({
        topic: view.name,
        sourceTopic: view.sourceTopic,
        topicId,
        epoch: view.epoch,
        sourceStarts: watch.starts,
        sourceEnds: watch.ends,
        unchangedReads: watch.unchangedReads,
        unproxiedRecords: this.#unproxied.get(topicId)?.count,
        hasUnproxiedLately: this.#unproxied.get(topicId)?.isRising,
        held: this.#cutOver.holdOf(topicId),
        stopped: Array.from(watch.stopped, ([partition, error]) => ({ partition, error })),
        error: this.#problems.get(view.name)?.message,
      });
    }
    const reported = new Set(reports.map(({ topic }) => topic));
    for (const [topic, { sourceTopic, message }] of this.#problems)
      if (!reported.has(topic))
        reports.push({
          topic,
          sourceTopic,
          sourceStarts: none,
          sourceEnds: none,
          unchangedReads: 0,
          stopped: [],
          error: message,
        });
    destination.report(reports, this.#error ?? this.#offsetsError);
  }
}

const none = new Float64Array();
const aclsPerCall = 500;

function offsetsLine([first, ...others]: readonly string[]): string | undefined {
  if (first === undefined) return undefined;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return `offsets of groups cannot be copied: ${first}${more}`;
}

function isCounted(state: string): boolean {
  return state === 'PROXY' || state === 'BLOCKED';
}
