import { type Handler, stoppedStatus } from '../handler.ts';
import { withCluster } from '../kafka/cluster.ts';
import { readRecords } from '../kafka/read-records.ts';
import { clusterOptions } from './connection.ts';
import { startingPositions } from './positions.ts';
import { jsonLine, jsonRecord, shownBytes, shownTimestamp } from './record-text.ts';
import { Table } from './table.ts';

export const fetchTool: Handler<'cli fetch'> = async (values, deps) => {
  const { output, stop } = deps;
  const topicName = values.topic!;
  const rows = new Table(['PARTITION', 'OFFSET', 'TIMESTAMP', 'KEY', 'VALUE']);
  await withCluster(await clusterOptions(values, deps), async (cluster) => {
    const from = await startingPositions(cluster, topicName, values.partition, values.offset);
    const options = { topicName, from, recordsMax: values['max-records'], waitMs: values.wait };
    for await (const records of readRecords(cluster, options)) {
      if (values.output === 'json') {
        for (const record of records) output.out(jsonLine(jsonRecord(topicName, record.partition, record)));
      } else {
        output.out(
          rows.add(
            records.map(({ partition, offset, timestamp, key, value }) => [
              String(partition),
              String(offset),
              shownTimestamp(timestamp),
              shownBytes(key),
              shownBytes(value),
            ]),
          ),
        );
      }
      await output.drained();
    }
  });
  return stop.aborted ? stoppedStatus : 0;
};
