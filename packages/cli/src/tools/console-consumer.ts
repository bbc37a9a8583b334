import {
  consumeByGroup,
  findTopic,
  type KafkaCluster,
  type MemberReader,
  type ReadOptions,
  type ReadRecord,
  readRecords,
  withCluster,
} from '@weir/client';
import { Failure } from '@weir/core';
import type { CommandValues } from '../flags/catalogue.ts';
import { type Handler, stoppedStatus } from '../handler.ts';
import { escapeControls } from '../problem.ts';
import { printResult } from '../results/results.ts';
import { readPrintProperties } from '../values/console-properties.ts';
import { clusterOptions } from './connection.ts';
import { formatRecord } from './console/format-record.ts';
import { startingPositions } from './positions.ts';
import { decodedJson, withDecoding } from './record-decoding.ts';
import { jsonRecord } from './record-text.ts';

type Values = CommandValues<'cli console-consumer'>;
type Print = (records: readonly ReadRecord[]) => Promise<void>;

/** Prints records until the user stops it, there are enough, or none has come for a while. */
export const consoleConsumerTool: Handler<'cli console-consumer'> = async (values, deps) => {
  const { output, stop } = deps;
  const properties = readPrintProperties(values.property);
  // The rules have rejected every other property before a command runs.
  if ('problem' in properties) throw new Failure(`-property: ${properties.problem}`);
  // A program gets the bytes as they are; in a terminal they could move the cursor.
  const safe = output.isTerminal ? escapeControls : (text: string) => text;
  const options = await clusterOptions(values, deps);
  let count = 0;
  await withDecoding(values, deps.clock, (decode) =>
    withCluster(options, async (cluster) => {
      const print: Print = async (records) => {
        for (const record of records) {
          const decoded = await decode?.(record);
          printResult(values, deps, {
            json: decodedJson(jsonRecord(values.topic!, record.partition, record), decoded),
            text: () => formatRecord(record, decoded, properties.value, safe),
          });
          count++;
        }
        await output.drained();
      };
      if (values.group === undefined) return await readAll(cluster, values, print);
      await cluster.retrying(() => findTopic(cluster, values.topic!));
      let isComplete = false;
      await consumeByGroup(cluster, options, {
        groupId: values.group,
        topicName: values.topic!,
        from: startOf(values) === 'earliest' ? 'earliest' : 'latest',
        isComplete: () => isComplete,
        open: (from) =>
          memberReader(
            cluster,
            values,
            from,
            () => count,
            print,
            () => (isComplete = true),
          ),
      });
    }),
  );
  output.err(`Processed a total of ${count} messages\n`);
  return stop.aborted ? stoppedStatus : 0;
};

function startOf({ offset, 'from-beginning': isFromBeginning }: Values): Values['offset'] {
  return isFromBeginning ? 'earliest' : offset;
}

/** Reads all partitions or one, and belongs to no group. */
async function readAll(cluster: KafkaCluster, values: Values, print: Print): Promise<void> {
  const { topic, partition, 'isolation-level': isolation } = values;
  const start = startOf(values);
  const positions = await startingPositions(cluster, topic!, partition, start, isolation);
  const from = new Map([...positions].map(([index, { offset }]) => [index, offset]));
  for await (const records of readRecords(cluster, followFrom(values, from, 0))) await print(records);
}

/** Reads the partitions of a member, and says when it has read enough. */
function memberReader(
  cluster: KafkaCluster,
  values: Values,
  from: ReadonlyMap<number, bigint>,
  printedCount: () => number,
  print: Print,
  onComplete: () => void,
): MemberReader {
  const stopping = new AbortController();
  const positions = new Map(from);
  return {
    positions,
    async run() {
      const options = {
        ...followFrom(values, from, printedCount()),
        until: stopping.signal,
        progress: positions,
      };
      for await (const records of readRecords(cluster, options)) await print(records);
      if (!stopping.signal.aborted) onComplete();
    },
    stop: () => stopping.abort(),
  };
}

function followFrom(values: Values, from: ReadonlyMap<number, bigint>, printedCount: number): ReadOptions {
  return {
    topicName: values.topic!,
    // There is no end up to which everything has to be read at once.
    from: new Map([...from].map(([partition, offset]) => [partition, { offset, end: offset }])),
    recordsMax: (values['max-messages'] ?? Number.POSITIVE_INFINITY) - printedCount,
    waitMs: Number.POSITIVE_INFINITY,
    idleMs: values['timeout-ms'],
    isolation: values['isolation-level'],
    resetTo: startOf(values) === 'earliest' ? 'earliest' : 'latest',
  };
}
