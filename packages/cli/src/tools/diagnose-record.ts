import { Failure } from '@weir/core';
import type { ObjectStore } from '@weir/storage';
import { apiClient, orFailure } from '../api-client.ts';
import { clusterId as clusterOfKey } from '../api-cluster.ts';
import type { Deps } from '../deps.ts';
import type { CommandValues } from '../flags/catalogue.ts';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { bucketUrl } from '../values/bucket-url.ts';
import { concealUrls } from '../values/conceal.ts';
import { orProblem, readBackedUpMetadata } from './backed-up-metadata.ts';
import { clusterIn, withBucket } from './bucket.ts';
import { withDecoding } from './record-decoding.ts';
import { diagnoseRecord, type MetadataSource } from './record-diagnosis/diagnosis.ts';
import { diagnosisJson, shownDiagnosis } from './record-diagnosis/shown-diagnosis.ts';

type Values = CommandValues<'cli diagnose-record'>;

/** Shows where one record is stored, and whether it can be read. Ends with status 1 if consumers do not get it. */
export const diagnoseRecordTool: Handler<'cli diagnose-record'> = (values, deps) =>
  values.bucketURL === undefined
    ? diagnose(values, deps, undefined)
    : withBucket(values, deps, (store) => diagnose(values, deps, store));

async function diagnose(values: Values, deps: Deps, store: ObjectStore | undefined): Promise<number> {
  const { topic, partition, bucketURL } = values;
  const source = values.apiURL === undefined ? await ofBackup(values, store!) : await ofLeader(values, deps);
  const found = await diagnoseRecord(source, store, values.offset);
  const outcome = found.read?.outcome;
  const decoded =
    outcome?.kind === 'record'
      ? await withDecoding(values, deps.clock, async (decode) => decode?.(outcome.record))
      : undefined;
  const diagnosis = {
    ...found,
    decoded,
    clusterId: source.clusterId,
    topic: topic!,
    partition: partition!,
    metadata: source.name,
    bucket: bucketURL === undefined ? undefined : concealUrls(bucketUrl().print(bucketURL)),
  };
  printResult(values, deps, { json: diagnosisJson(diagnosis), text: () => shownDiagnosis(diagnosis) });
  return ['readable', 'not_read', 'open'].includes(diagnosis.outcome) ? 0 : 1;
}

async function ofLeader(values: Values, deps: Deps): Promise<MetadataSource> {
  const client = apiClient(values, deps);
  const clusterId = await clusterOfKey(client, values.cluster);
  const target = { virtual_cluster_id: clusterId, topic_name: values.topic!, partition: values.partition! };
  return {
    name: 'leader',
    clusterId,
    locate: (offset) => orFailure(client.call('locate_record', { ...target, offset })),
  };
}

async function ofBackup({ cluster, topic, partition }: Values, store: ObjectStore): Promise<MetadataSource> {
  const clusterId = await clusterIn(store, cluster, '-cluster');
  const metadata = await readBackedUpMetadata({ store, clusterId });
  if (metadata === undefined)
    throw new Failure(
      `the bucket has no metadata backup of ${clusterId}; ask the leader with -api-url and -api-key`,
    );
  let isFirst = true;
  return {
    name: `backup of ${new Date(metadata.recoveryPointMs).toISOString()}`,
    clusterId,
    async locate(offset) {
      if (!isFirst) await orProblem(metadata.follow());
      isFirst = false;
      const located = metadata.locateRecord(topic!, partition!, offset);
      if (located === undefined)
        throw new Failure(`partition ${partition} of topic ${topic} not found in the backup`);
      return located;
    },
  };
}
