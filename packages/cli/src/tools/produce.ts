import { type Handler, stoppedStatus } from '../handler.ts';
import { withCluster } from '../kafka/cluster.ts';
import { appendValues } from './append.ts';
import { clusterOptions } from './connection.ts';
import { inputLines } from './input-lines.ts';
import { withEncoding } from './record-encoding.ts';
import { jsonBytes, jsonLine, shownBytes } from './record-text.ts';
import { Table } from './table.ts';

export const produceTool: Handler<'cli produce'> = async (values, deps) => {
  const { output, input, stop } = deps;
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
  const rows = new Table(['PARTITION', 'OFFSET', 'VALUE']);
  const connection = await clusterOptions(values, deps);
  await withEncoding(values, deps, groups, (encoded) =>
    withCluster(connection, async (cluster) => {
      for await (const written of appendValues(cluster, encoded.groups, options)) {
        if (values.output === 'json') {
          for (const { partition, offset, value } of written) {
            const known = offset < 0n ? null : offset;
            const given = jsonBytes(encoded.given(value));
            output.out(jsonLine({ topic: topicName, partition, offset: known, value: given }));
          }
        } else {
          output.out(
            rows.add(
              written.map(({ partition, offset, value }) => [
                String(partition),
                offset < 0n ? '-' : String(offset),
                shownBytes(encoded.given(value)),
              ]),
            ),
          );
        }
        await output.drained();
      }
    }),
  );
  return stop.aborted ? stoppedStatus : 0;
};
