import { withCluster } from '@weir/client';
import { type Handler, stoppedStatus } from '../handler.ts';
import { ResultRows } from '../results/results.ts';
import { appendValues, type WrittenRecord } from './append.ts';
import { clusterOptions } from './connection.ts';
import { inputLines } from './input-lines.ts';
import { withEncoding } from './record-encoding.ts';
import { jsonBytes, shownBytes } from './record-text.ts';

export const produceTool: Handler<'cli produce'> = async (values, deps) => {
  const { input, stop } = deps;
  const topicName = values.topic!;
  const options = {
    topicName,
    key: values.key,
    partition: values.partition,
    acks: values.acks,
    codec: values['compression-codec'],
  };
  const groups =
    values.records === undefined ? inputLines(input) : [values.records.map((text) => Buffer.from(text))];
  const connection = await clusterOptions(values, deps);
  await withEncoding(values, deps, groups, (encoded) =>
    withCluster(connection, async (cluster) => {
      const rows = new ResultRows<WrittenRecord>(values, deps, {
        header: ['PARTITION', 'OFFSET', 'VALUE'],
        cells: ({ partition, offset, value }) => [
          String(partition),
          offset < 0n ? '-' : String(offset),
          shownBytes(encoded.given(value)),
        ],
        json: ({ partition, offset, value }) => ({
          topic: topicName,
          partition,
          offset: offset < 0n ? null : offset,
          value: jsonBytes(encoded.given(value)),
        }),
      });
      for await (const written of appendValues(cluster, encoded.groups, options)) await rows.print(written);
    }),
  );
  return stop.aborted ? stoppedStatus : 0;
};
