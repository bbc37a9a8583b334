import type { OffsetsByTopic, OffsetToCommit } from '@weir/client';
import {
  allAnswers,
  committedOffsets,
  describeGroupIfKnown,
  findTopic,
  type GroupDescription,
  type KafkaCluster,
  offsetRanges,
  offsetsAtTime,
  resetOffsets,
  subject,
} from '@weir/client';
import { Failure, newOffset, type OffsetTarget } from '@weir/core';
import type { Deps } from '../deps.ts';
import type { CommandValues } from '../flags/catalogue.ts';
import type { Handler } from '../handler.ts';
import { cliLimits } from '../limits.ts';
import { escapeControls } from '../problem.ts';
import { printResult } from '../results/results.ts';
import { table } from '../results/table.ts';
import { readTopicPartitions } from '../values/topic-partitions.ts';
import { onCluster } from './connection.ts';
import { readGivenFile } from './given-file.ts';
import { offsetLine, readOffsetsFile } from './reset-offsets/offsets-file.ts';

type Values = CommandValues<'cli reset-offsets'>;

/** Shows from where a group goes on, and sets it once the user has confirmed that. */
export const resetOffsetsTool: Handler<'cli reset-offsets'> = async (values, deps) => {
  const { output } = deps;
  const groupId = values.group!;
  const isConfirmed = values['confirm-reset-offsets'];
  const fromFile = await readTargets(values, deps);
  const warn = (text: string) => output.err(`weir cli reset-offsets: warning: ${escapeControls(text)}\n`);
  return onCluster(values, deps, async (cluster) => {
    const group = await describeGroupIfKnown(cluster, groupId);
    refuseShareGroup(group);
    if (isConfirmed) refuseActive(group);
    else if (isActive(group)) warn(activeInWords(group!));
    const committed = await committedOffsets(cluster, groupId);
    const targets = fromFile ?? (await targetsOf(cluster, values, deps, committed));
    const rows = await planned(cluster, targets, committed, warn);
    const failures = isConfirmed ? await resetOffsets(cluster, groupId, rows.map(nextOffset)) : [];
    const isReset = isConfirmed && failures.length === 0;
    const state = group?.state ?? 'Empty';
    if (values.export) output.out(rows.map((row) => offsetLine({ ...row, offset: row.newOffset })).join(''));
    else {
      const title = headline(groupId, rows.length, values, isReset);
      printResult(values, deps, {
        json: { group: groupId, state, isReset, partitions: rows },
        text: () => `${escapeControls(title)}\n${table(header, rows.map(cells))}`,
      });
    }
    for (const failure of failures)
      output.err(`weir cli reset-offsets: ${escapeControls(failure.message)}\n`);
    return failures.length === 0 ? 0 : 1;
  });
};

const header = ['TOPIC', 'PARTITION', 'CURRENT', 'NEW', 'CHANGE', 'LAG'];

interface PlannedReset {
  readonly topic: string;
  readonly partition: number;
  /** Null if the group has committed none. */
  readonly currentOffset: bigint | null;
  readonly newOffset: bigint;
  /** How many records the group goes forward, or back if it is below 0. */
  readonly change: bigint | null;
  /** How many records the group has to read from the new offset on. */
  readonly lag: bigint;
}

/** The target of each partition, by topic. */
type Targets = ReadonlyMap<string, ReadonlyMap<number, OffsetTarget>>;

/** The offsets of a file. It is read first, so that a mistake in it is reported before anything is asked. */
async function readTargets(values: Values, deps: Deps): Promise<Targets | undefined> {
  const path = values['from-file'];
  if (path === undefined) return undefined;
  const text = await readGivenFile('from-file', path, cliLimits.offsetsFileBytesMax, deps);
  const targets = new Map<string, Map<number, OffsetTarget>>();
  for (const { topic, partition, offset } of readOffsetsFile(path, values.group!, text)) {
    const ofTopic = targets.get(topic) ?? new Map<number, OffsetTarget>();
    targets.set(topic, ofTopic.set(partition, { kind: 'offset', offset }));
  }
  return targets;
}

/** The partitions that the flags name, all with the same target. */
async function targetsOf(
  cluster: KafkaCluster,
  values: Values,
  { clock }: Deps,
  committed: OffsetsByTopic,
): Promise<Targets> {
  const target = targetOf(values, clock.nowMs());
  const each = (partitions: Iterable<number>) => new Map([...partitions].map((one) => [one, target]));
  if (values['all-topics']) {
    if (committed.size === 0) throw new Failure(`group ${values.group} has no committed offsets; set -topic`);
    return new Map([...committed].map(([topic, offsets]) => [topic, each(offsets.keys())]));
  }
  const read = readTopicPartitions(values.topic!);
  // The rules have rejected every other text before a command runs.
  if ('problem' in read) throw new Failure(`-topic=${values.topic}: ${read.problem}`);
  const targets = new Map<string, ReadonlyMap<number, OffsetTarget>>();
  for (const [name, listed] of read.value) {
    const { topic } = await cluster.retrying(() => findTopic(cluster, name));
    const existing = topic.partitions.map(({ partitionIndex }) => partitionIndex);
    targets.set(name, each(listed === 'all' ? existing : listed));
  }
  return targets;
}

function targetOf(values: Values, nowMs: number): OffsetTarget {
  const { 'to-offset': offset, 'shift-by': by, 'to-datetime': timestampMs, 'by-duration': spanMs } = values;
  if (offset !== undefined) return { kind: 'offset', offset: BigInt(offset) };
  if (by !== undefined) return { kind: 'shift', by: BigInt(by) };
  if (timestampMs !== undefined) return { kind: 'time', timestampMs };
  if (spanMs !== undefined) return { kind: 'time', timestampMs: Math.max(0, Math.trunc(nowMs - spanMs)) };
  if (values['to-earliest']) return { kind: 'earliest' };
  return { kind: values['to-latest'] ? 'latest' : 'current' };
}

/** What would be committed, by topic and partition. */
async function planned(
  cluster: KafkaCluster,
  targets: Targets,
  committed: OffsetsByTopic,
  warn: (text: string) => void,
): Promise<readonly PlannedReset[]> {
  const rows: PlannedReset[] = [];
  for (const [topic, ofTopic] of [...targets].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const partitions = [...ofTopic.keys()].sort((a, b) => a - b);
    const ranges = allAnswers(await offsetRanges(cluster, topic, partitions));
    const atTime = await timedOffsets(cluster, topic, ofTopic);
    for (const partition of partitions) {
      const range = ranges.get(partition)!;
      const current = committed.get(topic)?.get(partition);
      const facts = { ...range, committed: current, atTime: atTime.get(partition) };
      const found = newOffset(ofTopic.get(partition)!, facts);
      const about = subject(topic, partition);
      if (found === undefined)
        throw new Failure(`${about}: no committed offset to shift; use another target`);
      const { offset, outOfRange } = found;
      if (outOfRange !== undefined) warn(`${about}: offset ${outOfRange} is out of range; using ${offset}`);
      rows.push({
        topic,
        partition,
        currentOffset: current ?? null,
        newOffset: offset,
        change: current === undefined ? null : offset - current,
        lag: offset > range.latest ? 0n : range.latest - offset,
      });
    }
  }
  return rows;
}

/** The offsets of the wanted time, if a time is wanted: then it is the same in all partitions. */
async function timedOffsets(
  cluster: KafkaCluster,
  topic: string,
  ofTopic: ReadonlyMap<number, OffsetTarget>,
): Promise<ReadonlyMap<number, bigint>> {
  const [target] = ofTopic.values();
  if (target?.kind !== 'time') return new Map();
  return allAnswers(await offsetsAtTime(cluster, topic, [...ofTopic.keys()], target.timestampMs));
}

function isActive(group: GroupDescription | undefined): boolean {
  return group !== undefined && group.members.length > 0;
}

/** Kafka lets only a group without members be reset: members would commit their own positions right after. */
function refuseActive(group: GroupDescription | undefined): void {
  if (isActive(group)) throw new Failure(activeInWords(group!));
}

function activeInWords({ groupId, state, members }: GroupDescription): string {
  const count = members.length === 1 ? 'an active member' : `${members.length} active members`;
  return `group ${groupId} has ${count} (state ${state}); stop its consumers, then reset its offsets`;
}

function refuseShareGroup(group: GroupDescription | undefined): void {
  if (group?.type === 'share')
    throw new Failure(`group ${group.groupId} is a share group, which has no committed offsets`);
}

function nextOffset({ topic, partition, newOffset }: PlannedReset): OffsetToCommit {
  return { topic, partition, offset: newOffset };
}

function headline(groupId: string, count: number, values: Values, isReset: boolean): string {
  const partitions = count === 1 ? '1 partition' : `${count} partitions`;
  if (isReset) return `group ${groupId}: reset ${partitions}`;
  if (values['confirm-reset-offsets']) return `group ${groupId}: failed to reset all of ${partitions}`;
  return `group ${groupId}: preview of ${partitions}; reset them with -confirm-reset-offsets`;
}

function cells({
  topic,
  partition,
  currentOffset,
  newOffset: offset,
  change,
  lag,
}: PlannedReset): readonly string[] {
  const signed = change === null ? '-' : `${change > 0n ? '+' : ''}${change}`;
  return [topic, String(partition), String(currentOffset ?? '-'), String(offset), signed, String(lag)];
}
