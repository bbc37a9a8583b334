import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { readTopic } from './cluster-reads.ts';
import { locatedRecord } from './locate-record.ts';
import type { ClusterServices } from './services.ts';

export function recordOperations({ clusterPort }: ClusterServices) {
  return {
    locate_record: async (
      { virtual_cluster_id: clusterId, topic_name: name, partition, offset },
      context,
    ) => {
      const port = clusterPort(clusterId);
      const topic = await readTopic(port, name, context);
      if (topic === undefined) throw new OperationFailed('not_found', `Topic ${name} not found.`);
      const { topicId } = topic;
      const [[found], [producers]] = await Promise.all([
        port.findBatches([{ topicId, partition, offset, bytesMax: 1 }]),
        port.describeProducers([{ topicId, partition }]),
      ]);
      if (found!.error !== 'NONE' && found!.error !== 'OFFSET_OUT_OF_RANGE')
        throw new OperationFailed('not_found', `The topic ${name} has no partition ${partition}.`);
      return locatedRecord({ clusterId, topicId, offset }, found!, producers!);
    },
  } satisfies SomeHandlers;
}
