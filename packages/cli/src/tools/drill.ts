import { randomUUID } from 'node:crypto';
import { allAnswers, findTopic, type KafkaCluster, offsetRanges, Producer } from '@weir/client';
import { Failure, formatDurationMs } from '@weir/core';
import type { Deps } from '../deps.ts';
import type { Handler } from '../handler.ts';
import { stoppedStatus } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { onCluster } from './connection.ts';
import { readWritten } from './drill/read-written.ts';
import { runFault } from './drill/run-fault.ts';
import { type DrillReport, WrittenRecords } from './drill/written-records.ts';

/** How often a record is sent to each partition. */
const sendEveryMs = 50;
/** How long everything works before the fault. */
const calmMs = 5_000;
/** How long records are tried, and read, after the drill: as long as a cluster may take to ingest what agents left. */
const patienceMs = 180_000;
const partitionsMax = 100;
/** The exit status of a drill that found a fault of the cluster. */
const failedStatus = 1;

/**
 * Writes a record to each partition twenty times a second, runs the command that causes a fault, goes on for the given
 * time, and then reads what it wrote. Fails if something acknowledged is missing, doubled or in another order, or if a
 * partition was without an acknowledgement for longer than it may be.
 */
export const drillTool: Handler<'cli drill'> = async (values, deps) => {
  const { stop, output, commandToRun, environment } = deps;
  const topic = values.topic!;
  const drillId = randomUUID();
  let faultStatus: number | null = null;
  const report = await onCluster(values, deps, async (cluster) => {
    const partitions = await partitionsOf(cluster, topic);
    const before = allAnswers(await offsetRanges(cluster, topic, partitions));
    const prefix = `weir drill ${drillId} `;
    const written = await write(cluster, values, prefix, partitions.length, deps, async () => {
      if (commandToRun === undefined) output.err('weir cli drill: cause the fault now\n');
      else faultStatus = await runFault(commandToRun, environment, stop);
    });
    const from = new Map([...before].map(([partition, { latest }]) => [partition, latest]));
    await readWritten(cluster, { topicName: topic, prefix, from, written, patienceMs });
    return written.report();
  });
  if (stop.aborted) return stoppedStatus;
  const gapMsMax = values['max-gap'];
  const problems = problemsOf(report, gapMsMax, values.idempotent);
  const json = { topic, drill: drillId, ...report, faultStatus, problems };
  printResult(values, deps, { json, text: () => textOf(report, faultStatus, problems) });
  return problems.length === 0 ? 0 : failedStatus;
};

async function partitionsOf(cluster: KafkaCluster, topic: string): Promise<readonly number[]> {
  const found = await findTopic(cluster, topic);
  const partitions = found.topic.partitions.map(({ partitionIndex }) => partitionIndex).sort((a, b) => a - b);
  if (partitions.length > partitionsMax)
    throw new Failure(`topic ${topic} has ${partitions.length} partitions; a drill takes ${partitionsMax}`);
  return partitions;
}

async function write(
  cluster: KafkaCluster,
  values: { readonly idempotent: boolean; readonly 'drill-for': number; readonly topic?: string | undefined },
  prefix: string,
  partitionCount: number,
  { clock, stop }: Deps,
  fail: () => Promise<void>,
): Promise<WrittenRecords> {
  const durationMs = calmMs + values['drill-for'];
  const producer = new Producer(cluster, {
    acks: 'all',
    codec: 'none',
    isIdempotent: values.idempotent,
    batchBytesMax: 1_000_000,
    timeoutMs: durationMs + patienceMs,
    metadataMaxAgeMs: 60_000,
  });
  const startMs = clock.monotonicMs();
  const written = new WrittenRecords(partitionCount, startMs);
  const sending: Promise<void>[] = [];
  let fault: Promise<void> | undefined;
  let rounds = 0;
  try {
    for (;;) {
      const passedMs = clock.monotonicMs() - startMs;
      if (passedMs >= durationMs || stop.aborted) break;
      if (passedMs >= calmMs && fault === undefined) {
        fault = fail();
        // It is awaited below.
        fault.catch(() => {});
      }
      for (let partition = 0; partition < partitionCount; partition++) sending.push(send(partition));
      rounds++;
      await cluster.pause(Math.max(1, startMs + rounds * sendEveryMs - clock.monotonicMs()));
    }
    await Promise.all(sending);
    written.end(clock.monotonicMs());
    await fault;
  } finally {
    producer.close();
  }
  return written;

  async function send(partition: number): Promise<void> {
    const number = written.send(partition);
    const value = Buffer.from(`${prefix}${number}`);
    const failed = await producer.send(values.topic!, partition, [
      { key: null, value, headers: [], timestamp: BigInt(Math.floor(clock.nowMs())) },
    ]);
    if (failed.size === 0) written.acknowledged(partition, number, clock.monotonicMs());
    else written.failed(partition);
  }
}

function problemsOf(report: DrillReport, gapMsMax: number, isIdempotent: boolean): string[] {
  const { lost, doubled, reordered, worstPartition, worstPartitionGapMs } = report;
  const problems: string[] = [];
  if (lost > 0) problems.push(`${lost} acknowledged records are lost`);
  // Without numbers, a record that is sent again may be there twice.
  if (isIdempotent && doubled > 0) problems.push(`${doubled} records are there more than once`);
  if (isIdempotent && reordered > 0) problems.push(`${reordered} records are behind later ones`);
  if (gapMsMax > 0 && worstPartitionGapMs > gapMsMax)
    problems.push(
      `partition ${worstPartition} was without an acknowledgement for ${formatDurationMs(worstPartitionGapMs)}; ` +
        `${formatDurationMs(gapMsMax)} are allowed`,
    );
  return problems;
}

function textOf(report: DrillReport, faultStatus: number | null, problems: readonly string[]): string {
  const { partitions, sent, acknowledged, failed, lost, doubled, reordered, unexpected } = report;
  const { longestGapMs, worstPartition, worstPartitionGapMs } = report;
  const lines = [
    `records      ${sent} sent to ${partitions} partitions, ${acknowledged} acknowledged, ${failed} failed`,
    `found        ${lost} lost, ${doubled} doubled, ${reordered} reordered, ${unexpected} not acknowledged`,
    `longest gap  ${formatDurationMs(longestGapMs)} of all partitions`,
    `             ${formatDurationMs(worstPartitionGapMs)} of partition ${worstPartition}, the worst`,
    ...(faultStatus === null ? [] : [`command      ended with ${faultStatus}`]),
    problems.length === 0 ? 'result       passed' : `result       failed: ${problems.join('; ')}`,
  ];
  return `${lines.join('\n')}\n`;
}
