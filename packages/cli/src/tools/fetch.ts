import type { DecodedRecord } from '@weir/registry/decoding';
import { type Handler, stoppedStatus } from '../handler.ts';
import { withCluster } from '../kafka/cluster.ts';
import { readRecords } from '../kafka/read-records.ts';
import { clusterOptions } from './connection.ts';
import { startingPositions } from './positions.ts';
import { decodedJson, shownPayload, withDecoding } from './record-decoding.ts';
import { jsonLine, jsonRecord, shownTimestamp } from './record-text.ts';
import { Table } from './table.ts';

export const fetchTool: Handler<'cli fetch'> = async (values, deps) => {
  const { output, stop } = deps;
  const topicName = values.topic!;
  const rows = new Table(['PARTITION', 'OFFSET', 'TIMESTAMP', 'KEY', 'VALUE']);
  const options = await clusterOptions(values, deps);
  await withDecoding(values, deps.clock, (decode) =>
    withCluster(options, async (cluster) => {
      const from = await startingPositions(cluster, topicName, values.partition, values.offset);
      const range = { topicName, from, recordsMax: values['max-records'], waitMs: values.wait };
      for await (const records of readRecords(cluster, range)) {
        const decoded: (DecodedRecord | undefined)[] = [];
        for (const record of records) decoded.push(await decode?.(record));
        if (values.output === 'json') {
          for (const [index, record] of records.entries()) {
            const raw = jsonRecord(topicName, record.partition, record);
            output.out(jsonLine(decodedJson(raw, decoded[index])));
          }
        } else {
          output.out(
            rows.add(
              records.map(({ partition, offset, timestamp, key, value }, index) => [
                String(partition),
                String(offset),
                shownTimestamp(timestamp),
                shownPayload(key, decoded[index]?.key),
                shownPayload(value, decoded[index]?.value),
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
