import { type ReadRecord, readRecords, withCluster } from '@weir/client';
import type { DecodedRecord } from '@weir/registry/decoding';
import { type Handler, stoppedStatus } from '../handler.ts';
import { Progress } from '../results/progress.ts';
import { ResultRows } from '../results/results.ts';
import { clusterOptions } from './connection.ts';
import { startingPositions } from './positions.ts';
import { decodedJson, shownPayload, withDecoding } from './record-decoding.ts';
import { jsonRecord, shownTimestamp } from './record-text.ts';

interface FetchedRow {
  readonly record: ReadRecord;
  readonly decoded: DecodedRecord | undefined;
}

export const fetchTool: Handler<'cli fetch'> = async (values, deps) => {
  const topicName = values.topic!;
  const rows = new ResultRows<FetchedRow>(values, deps, {
    header: ['PARTITION', 'OFFSET', 'TIMESTAMP', 'KEY', 'VALUE'],
    cells: ({ record: { partition, offset, timestamp, key, value }, decoded }) => [
      String(partition),
      String(offset),
      shownTimestamp(timestamp),
      shownPayload(key, decoded?.key),
      shownPayload(value, decoded?.value),
    ],
    json: ({ record, decoded }) => decodedJson(jsonRecord(topicName, record.partition, record), decoded),
  });
  const options = await clusterOptions(values, deps);
  await withDecoding(values, deps.clock, (decode) =>
    withCluster(options, async (cluster) => {
      const from = await startingPositions(cluster, topicName, values.partition, values.offset);
      // Rows that scroll on a terminal are progress enough.
      const progress = deps.output.isTerminal ? undefined : new Progress(values, deps);
      const ahead = [...from.values()].reduce((sum, { offset, end }) => sum + Number(end - offset), 0);
      const total = values.wait > 0 ? values['max-records'] : Math.min(ahead, values['max-records']);
      let done = 0;
      const range = { topicName, from, recordsMax: values['max-records'], waitMs: values.wait };
      for await (const records of readRecords(cluster, range)) {
        const fetched: FetchedRow[] = [];
        for (const record of records) fetched.push({ record, decoded: await decode?.(record) });
        await rows.print(fetched);
        done += fetched.length;
        progress?.show({ done, total, unit: 'records' });
      }
      progress?.clear();
    }),
  );
  return deps.stop.aborted ? stoppedStatus : 0;
};
