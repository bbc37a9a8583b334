import { createTopic, type KafkaCluster, readRecords, withCluster } from '@weir/client';
import type { DecodedPayload } from '@weir/registry/decoding';
import type { Deps } from '../deps.ts';
import type { CommandValues } from '../flags/catalogue.ts';
import { type Handler, stoppedStatus } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { appendValues } from './append.ts';
import { clusterOptions } from './connection.ts';
import { diagnoseConnection } from './diagnose-connection.ts';
import { startingPositions } from './positions.ts';
import { decodedJson, shownPayload, withDecoding } from './record-decoding.ts';
import { jsonBytes, jsonRecord, quotedBytes } from './record-text.ts';

type Values = CommandValues<'kcmd'>;
type Request = (cluster: KafkaCluster, values: Values, deps: Deps) => Promise<void>;

/** The request of each `-type`. */
const requests: Readonly<Record<Exclude<NonNullable<Values['type']>, 'diagnose-connection'>, Request>> = {
  async 'create-topic'(cluster, values, deps) {
    const made = await createTopic(cluster, { name: values.topic!, configs: [] });
    printResult(values, deps, {
      json: { topic: values.topic!, ...made },
      text: () => `${made.topicId}\n`,
    });
  },

  async produce(cluster, values, deps) {
    const { topic, records, key, partition } = values;
    const groups = [records!.map((text) => Buffer.from(text))];
    const options = { topicName: topic!, key, partition, acks: 'all', codec: 'none' } as const;
    for await (const written of appendValues(cluster, groups, options)) {
      for (const { partition: index, offset, value } of written) {
        printResult(values, deps, {
          json: { topic: topic!, partition: index, offset, value: jsonBytes(value) },
          text: () => resultLine(index, offset, value),
        });
      }
    }
  },

  async fetch(cluster, values, deps) {
    const { topic, partition, offset, 'max-records': recordsMax } = values;
    const from = await startingPositions(cluster, topic!, partition, offset);
    await withDecoding(values, deps.clock, async (decode) => {
      for await (const records of readRecords(cluster, { topicName: topic!, from, recordsMax, waitMs: 0 })) {
        for (const record of records) {
          const decoded = await decode?.(record);
          printResult(values, deps, {
            json: decodedJson(jsonRecord(topic!, record.partition, record), decoded),
            text: () => resultLine(record.partition, record.offset, record.value, decoded?.value),
          });
        }
        await deps.output.drained();
      }
    });
  },
};

export const kcmd: Handler<'kcmd'> = async (values, deps) => {
  const type = values.type!;
  if (type === 'diagnose-connection') return diagnoseConnection(values, deps);
  const options = await clusterOptions(values, deps);
  await withCluster(options, (cluster) => requests[type](cluster, values, deps));
  return deps.stop.aborted ? stoppedStatus : 0;
};

function resultLine(
  partition: number,
  offset: bigint,
  value: Buffer | null,
  decoded?: DecodedPayload | undefined,
): string {
  return `result: partition:${partition} offset:${offset} value:${shownPayload(value, decoded, quotedBytes)}\n`;
}
