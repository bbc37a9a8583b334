import { Failure } from '@weir/core';
import { type Handler, stoppedStatus } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { readLineProperties } from '../values/console-properties.ts';
import { appendRecords } from './append.ts';
import { onCluster } from './connection.ts';
import { type LineRecord, lineReader } from './console/read-line.ts';
import { inputLines } from './input-lines.ts';

/** Writes the lines of standard input. As Kafka's tool, it says nothing about them; as JSON, it says where they are. */
export const consoleProducerTool: Handler<'cli console-producer'> = async (values, deps) => {
  const { input, output, stop } = deps;
  const topicName = values.topic!;
  const properties = readLineProperties(values.property);
  // The rules have rejected every other property before a command runs.
  if ('problem' in properties) throw new Failure(`-property: ${properties.problem}`);
  const read = lineReader(properties.value);
  const options = {
    topicName,
    partition: values.partition,
    acks: values.acks,
    codec: values['compression-codec'],
  };
  const showPrompt = () => {
    if (output.isTerminal && values.output !== 'json') output.out('>');
  };
  await onCluster(values, deps, async (cluster) => {
    showPrompt();
    for await (const written of appendRecords(cluster, linesAsRecords(inputLines(input), read), options)) {
      for (const { partition, offset } of written) {
        const json = { topic: topicName, partition, offset: offset < 0n ? null : offset };
        printResult(values, deps, { json, text: () => '' });
      }
      showPrompt();
      await output.drained();
    }
  });
  return stop.aborted ? stoppedStatus : 0;
};

/** Lines before a wrong one are written first. */
async function* linesAsRecords(
  groups: AsyncIterable<readonly Buffer[]>,
  read: ReturnType<typeof lineReader>,
): AsyncGenerator<readonly LineRecord[], void, undefined> {
  let number = 0;
  for await (const lines of groups) {
    const records: LineRecord[] = [];
    for (const line of lines) {
      number++;
      const reading = read(line);
      if ('record' in reading) records.push(reading.record);
      else {
        if (records.length > 0) yield records;
        throw new Failure(
          `line ${number} ${reading.problem}; set -property ignore.error=true to use it as value`,
        );
      }
    }
    yield records;
  }
}
