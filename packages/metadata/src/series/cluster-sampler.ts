import {
  type AgentReport,
  addLatencies,
  type ClusterActivity,
  type GroupActivity,
  type JobProgress,
  latencyPercentile,
  noLatencies,
  reportIntervalMs,
  type SeriesQuery,
  type SeriesRead,
} from '@weir/cluster';
import { type Clock, seriesLongRangeMs, seriesShortStepMs } from '@weir/core';
import type { ClusterMachine } from '@weir/machine';
import { metadataLimits } from '../limits.ts';
import { type SeriesBudget, SeriesStore, stepOf } from './series-store.ts';
import { type PutSample, type SampledTable, TableSeries } from './table-series.ts';

/** What the last report of an agent says of its traffic, and when it was received. */
export interface LastTraffic extends Pick<AgentReport, 'spanMs' | 'traffic'> {
  readonly atMs: number;
}

interface ClusterSamplerOptions {
  readonly machine: Pick<ClusterMachine, 'offsets' | 'groupProgress' | 'topicGrowth'>;
  readonly agents: {
    list(): readonly { readonly agentId: string }[];
    /** The last reported load, which the list does not have. */
    cpuLoadOf(agentId: string): number | undefined;
    lastTraffic(agentId: string): LastTraffic | undefined;
  };
  readonly groups: { isWithoutMembers(groupId: string): boolean };
  /** What instances of pipelines last reported. */
  readonly instances: () => readonly InstanceRates[];
  /** What agents last reported of the tables of a data lake; absent for other clusters. */
  readonly tables?: (() => readonly SampledTable[]) | undefined;
  readonly budget: SeriesBudget;
  readonly clock: Clock;
}

interface InstanceRates
  extends Pick<
    JobProgress,
    'messagesPerSecond' | 'bytesPerSecond' | 'receivedMessagesPerSecond' | 'receivedBytesPerSecond'
  > {
  readonly pipelineId: string;
}

/** What was last sampled of a topic, or of a topic within a group. */
interface Progress {
  readonly atMs: number;
  readonly partitionCount: number;
  readonly end: number;
  readonly committed: number;
  /** Of a topic: bytes that were appended. */
  readonly appended?: number;
  /** Of a group: whether the committed offsets moved on since the sample before. */
  readonly hasMoved?: boolean;
}

interface TrackedGroup {
  lag: number;
  producedPerSecond: number | null;
  consumedPerSecond: number | null;
  hadMembers: boolean;
  readonly topics: Map<number, Progress>;
}

/** A report is shown until the next but one should have come. */
const reportAgeMsMax = 2 * reportIntervalMs;

/**
 * Samples a cluster every ten seconds: the growth of its topics, the progress of its groups, and what its agents last
 * reported, which is the mean of twenty seconds. Rates are differences of two samples, so the first sample has none.
 *
 * Groups with the largest lag have series. The others are looked at in turn, as many offsets per sample as the limit
 * allows, and take the place of one with less lag. Share groups have no committed offsets, and no series.
 *
 * Offsets are reset while a group has no members, so that a move of such a group is consumption only if it goes on for
 * more than one sample, as that of consumers that commit without being members does.
 */
export class ClusterSampler {
  readonly #options: ClusterSamplerOptions;
  readonly #store: SeriesStore;
  #topics: ReadonlyMap<number, Progress> = new Map();
  /** Ends the sample of topics that is under way. */
  #endTopics: (() => void) | undefined;
  readonly #groups = new Map<string, TrackedGroup>();
  /** Topics that have a series, with their last rates. */
  readonly #shownTopics = new Map<string, number>();
  /** The groups that are left of this pass over all. */
  #pass: string[] = [];
  #passLag = 0;
  #totalLag: number | null = null;
  #lastStep = -1;
  readonly #tableSeries: TableSeries | undefined;

  constructor(options: ClusterSamplerOptions) {
    this.#options = options;
    this.#store = new SeriesStore(options.budget);
    this.#tableSeries =
      options.tables && new TableSeries((tableName) => this.#store.drop('table', tableName));
  }

  /** Takes the sample of a step, once: a timer that fires early fires again, and no time between two has no rates. */
  sample(): void {
    const step = stepOf(this.#options.clock.nowMs());
    if (step === this.#lastStep) return;
    this.#lastStep = step;
    const put: PutSample = (metric, value, tags = {}) => {
      if (value !== null) this.#store.put(metric, tags, step, value);
    };
    // First: a data lake cluster reads and writes tables, not records of its own topics.
    this.#sampleTables(put);
    this.#sampleAgents(put);
    if (this.#endTopics === undefined) this.#goOn(this.#sampleTopics(put));
    if (this.#tableSeries === undefined) this.#sampleGroups(put);
    this.#samplePipelines(put);
    if (step % 360 === 0) this.#store.dropBefore(step - seriesLongRangeMs / seriesShortStepMs);
  }

  read(query: SeriesQuery): SeriesRead {
    return this.#store.read(query);
  }

  activity(groupsMax: number): Pick<ClusterActivity, 'totalLag' | 'groups'> {
    const groups = Array.from(this.#groups, ([groupId, { lag, producedPerSecond, consumedPerSecond }]) => {
      return { groupId, lag, producedPerSecond, consumedPerSecond } satisfies GroupActivity;
    })
      .sort((a, b) => b.lag - a.lag)
      .slice(0, groupsMax);
    return { totalLag: this.#totalLag, groups };
  }

  close(): void {
    this.#endTopics?.();
    this.#store.close();
  }

  /** A cluster of 100,000 partitions is sampled in parts, between which commits run. */
  #goOn(work: Generator<undefined, void>): void {
    this.#endTopics = undefined;
    if (work.next().done !== true) this.#endTopics = this.#options.clock.after(0, () => this.#goOn(work));
  }

  #sampleAgents(put: PutSample): void {
    const { agents, clock } = this.#options;
    const atMs = clock.monotonicMs();
    const listed = agents.list();
    // A cluster that nothing uses has no series, so that thousands of them take no memory.
    if (listed.length > 0 || this.#store.size > 0) put('agents', listed.length);
    const sums = { inBytes: 0, outBytes: 0, inRecords: 0, outRecords: 0 };
    const latencies = noLatencies();
    let [load, reporting] = [0, 0];
    for (const { agentId } of listed) {
      const agent = { agent: agentId };
      const cpuLoad = agents.cpuLoadOf(agentId) ?? 0;
      load += cpuLoad;
      put('cpu_load', cpuLoad, agent);
      const last = agents.lastTraffic(agentId);
      if (last === undefined || atMs - last.atMs > reportAgeMsMax) continue;
      reporting++;
      const { spanMs, traffic } = last;
      const seconds = Math.max(1_000, spanMs) / 1_000;
      for (const name of ['inBytes', 'outBytes', 'inRecords', 'outRecords'] as const) {
        const rate = (traffic?.[name] ?? 0) / seconds;
        sums[name] += rate;
        put(rateNames[name], rate, agent);
      }
      const { produceLatencies = [] } = traffic ?? {};
      if (produceLatencies.length === 0) continue;
      const own = noLatencies();
      addLatencies(own, produceLatencies);
      addLatencies(latencies, produceLatencies);
      put('produce_latency_p50_ms', latencyPercentile(own, 0.5) ?? null, agent);
      put('produce_latency_p99_ms', latencyPercentile(own, 0.99) ?? null, agent);
    }
    if (listed.length > 0) put('cpu_load', load / listed.length);
    if (reporting === 0) return;
    for (const name of ['inBytes', 'outBytes', 'inRecords', 'outRecords'] as const)
      put(rateNames[name], sums[name]);
    put('produce_latency_p50_ms', latencyPercentile(latencies, 0.5) ?? null);
    put('produce_latency_p99_ms', latencyPercentile(latencies, 0.99) ?? null);
  }

  *#sampleTopics(put: PutSample): Generator<undefined, void> {
    const { machine, clock } = this.#options;
    const topics = new Map<number, Progress>();
    let storedBytes = 0;
    for (const topic of machine.topicGrowth()) {
      if (topic === undefined) {
        yield;
        continue;
      }
      const { number, name, partitionCount, end, byteCount, appendedByteCount } = topic;
      const atMs = clock.monotonicMs();
      storedBytes += byteCount;
      const now: Progress = { atMs, partitionCount, end, committed: 0, appended: appendedByteCount };
      topics.set(number, now);
      const last = this.#topics.get(number);
      const rate = last === undefined ? null : perSecond(last, now, 'end');
      if (rate === null || !this.#shows(name, rate)) continue;
      const tags = { topic: name };
      put('in_records_per_second', rate, tags);
      put('in_bytes_per_second', perSecond(last!, now, 'appended'), tags);
      put('stored_bytes', byteCount, tags);
    }
    this.#topics = topics;
    if (storedBytes > 0 || this.#store.size > 0) put('stored_bytes', storedBytes);
  }

  /** Whether a topic is one of the busiest. */
  #shows(name: string, rate: number): boolean {
    const shown = this.#shownTopics;
    if (shown.has(name) || (rate > 0 && shown.size < metadataLimits.sampledTopicsMax)) {
      shown.set(name, rate);
      return true;
    }
    if (rate === 0) return false;
    const [least, leastRate] = leastOf(shown, (one) => one);
    if (rate <= leastRate) return false;
    shown.delete(least);
    this.#store.drop('topic', least);
    shown.set(name, rate);
    return true;
  }

  #sampleTables(put: PutSample): void {
    const { tables, clock } = this.#options;
    const total = this.#tableSeries?.sample(tables!(), clock.nowMs(), put);
    if (total !== undefined) this.#totalLag = total;
  }

  #samplePipelines(put: PutSample): void {
    const all = Map.groupBy(this.#options.instances(), ({ pipelineId }) => pipelineId);
    for (const [pipeline, instances] of all.entries().take(metadataLimits.sampledPipelinesMax)) {
      const sum = (of: keyof Omit<InstanceRates, 'pipelineId'>) =>
        instances.reduce((total, rates) => total + (rates[of] ?? 0), 0);
      put('in_records_per_second', sum('receivedMessagesPerSecond'), { pipeline });
      put('in_bytes_per_second', sum('receivedBytesPerSecond'), { pipeline });
      put('out_records_per_second', sum('messagesPerSecond'), { pipeline });
      put('out_bytes_per_second', sum('bytesPerSecond'), { pipeline });
    }
  }

  #sampleGroups(put: PutSample): void {
    const { machine } = this.#options;
    let left = metadataLimits.sampledOffsetsMax;
    for (const groupId of [...this.#groups.keys()]) {
      if (machine.offsets.hasGroup(groupId)) left -= this.#sampleTracked(groupId, put);
      else this.#forget(groupId);
    }
    if (this.#pass.length === 0) this.#pass = [...machine.offsets.groupIds()];
    while (this.#pass.length > 0 && left > 0) {
      const groupId = this.#pass.pop()!;
      const tracked = this.#groups.get(groupId);
      if (tracked !== undefined) {
        this.#passLag += tracked.lag;
        continue;
      }
      const { lag, offsetCount } = this.#lagOf(groupId);
      left -= Math.max(1, offsetCount);
      this.#passLag += lag;
      if (offsetCount > 0) this.#admit(groupId, lag, put);
    }
    if (this.#pass.length === 0) {
      this.#totalLag = this.#passLag;
      this.#passLag = 0;
    }
    if (this.#groups.size > 0 || this.#store.size > 0) put('lag', this.#totalLag);
  }

  #lagOf(groupId: string): { readonly lag: number; readonly offsetCount: number } {
    let [lag, offsetCount] = [0, 0];
    for (const topic of this.#options.machine.groupProgress(groupId)) {
      lag += topic.lag;
      offsetCount += topic.partitionCount;
    }
    return { lag, offsetCount };
  }

  #admit(groupId: string, lag: number, put: PutSample): void {
    if (this.#groups.size >= metadataLimits.sampledGroupsMax) {
      const [least, { lag: leastLag }] = leastOf(this.#groups, (group) => group.lag);
      if (lag <= leastLag) return;
      this.#forget(least);
    }
    this.#groups.set(groupId, {
      lag,
      producedPerSecond: null,
      consumedPerSecond: null,
      hadMembers: false,
      topics: new Map(),
    });
    this.#sampleTracked(groupId, put);
  }

  #forget(groupId: string): void {
    this.#groups.delete(groupId);
    this.#store.drop('group', groupId);
  }

  /** Returns the number of offsets. */
  #sampleTracked(groupId: string, put: PutSample): number {
    const { machine, groups, clock } = this.#options;
    const group = this.#groups.get(groupId)!;
    const atMs = clock.monotonicMs();
    let [lag, offsetCount, topicCount] = [0, 0, 0];
    let produced: number | null = null;
    let consumed: number | null = null;
    const seen = new Set<number>();
    const hasMembers = !groups.isWithoutMembers(groupId);
    const { hadMembers } = group;
    for (const topic of machine.groupProgress(groupId)) {
      lag += topic.lag;
      offsetCount += topic.partitionCount;
      seen.add(topic.number);
      const last = group.topics.get(topic.number);
      const hasMoved = last !== undefined && topic.committed > last.committed;
      const now: Progress = { atMs, ...topic, hasMoved };
      group.topics.set(topic.number, now);
      const isReset = hasMoved && !(hasMembers && hadMembers) && (hasMembers || hadMembers || !last.hasMoved);
      const ownProduced = last === undefined ? null : perSecond(last, now, 'end');
      const ownConsumed = last === undefined || isReset ? null : perSecond(last, now, 'committed');
      if (ownProduced !== null) produced = (produced ?? 0) + ownProduced;
      if (ownConsumed !== null) consumed = (consumed ?? 0) + ownConsumed;
      if (topicCount++ >= metadataLimits.sampledTopicsPerGroupMax) continue;
      const tags = { group: groupId, topic: topic.name };
      put('lag', topic.lag, tags);
      put('produced_records_per_second', ownProduced, tags);
      put('consumed_records_per_second', ownConsumed, tags);
    }
    for (const number of group.topics.keys()) if (!seen.has(number)) group.topics.delete(number);
    Object.assign(group, {
      lag,
      producedPerSecond: produced,
      consumedPerSecond: consumed,
      hadMembers: hasMembers,
    });
    const tags = { group: groupId };
    put('lag', lag, tags);
    put('produced_records_per_second', produced, tags);
    put('consumed_records_per_second', consumed, tags);
    return offsetCount;
  }
}

const rateNames = {
  inBytes: 'in_bytes_per_second',
  outBytes: 'out_bytes_per_second',
  inRecords: 'in_records_per_second',
  outRecords: 'out_records_per_second',
} as const;

/** `null` if partitions came or went between the samples, or offsets were set back: then it is no progress. */
function perSecond(last: Progress, now: Progress, of: 'end' | 'committed' | 'appended'): number | null {
  const grown = (now[of] ?? 0) - (last[of] ?? 0);
  if (now.partitionCount !== last.partitionCount || grown < 0 || now.atMs <= last.atMs) return null;
  return (grown * 1_000) / (now.atMs - last.atMs);
}

function leastOf<Value>(
  rows: ReadonlyMap<string, Value>,
  weight: (value: Value) => number,
): readonly [name: string, value: Value] {
  let least: readonly [string, Value] | undefined;
  for (const row of rows) if (least === undefined || weight(row[1]) < weight(least[1])) least = row;
  return least!;
}
