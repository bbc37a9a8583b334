import type { ControlPlaneEvent, EventsPort, ListedJob } from '@weir/cluster';
import type { Log, Random } from '@weir/core';
import { controlPlaneSource, EventIds, serializeEvent } from '@weir/events';
import type { Pipelines } from '../accounts/workspaces/pipelines.ts';
import type { VirtualCluster } from '../accounts/workspaces/virtual-clusters.ts';

interface LinkingEventsOptions {
  readonly pipelines: Pick<Pipelines, 'list'>;
  /** The clusters that this process serves. */
  readonly clusters: () => readonly VirtualCluster[];
  readonly portOf: (clusterId: string) => Pick<EventsPort, 'putControlPlaneEvents'>;
  readonly random: Random;
  readonly log: Log;
}

/**
 * Syncs of schema linking as events of the type `pipeline_logs`. A registry cluster has no topics for events, so they
 * go to the Kafka clusters of its workspace. Best effort: where events are off, or there is no leader, they are lost.
 */
export function linkingEvents({ pipelines, clusters, portOf, random, log }: LinkingEventsOptions) {
  const ids = new EventIds(random);
  return async (registry: VirtualCluster, job: ListedJob): Promise<void> => {
    try {
      const pipelineId = job.scope.split(' ')[0]!;
      const listed = await pipelines.list(registry.accountId, registry.id);
      const pipelineName = listed.find(({ id }) => id === pipelineId)?.name ?? pipelineId;
      const timeMs = job.endedMs!;
      const eventFor = (cluster: VirtualCluster): ControlPlaneEvent => ({
        type: 'pipeline_logs',
        timeMs,
        text: serializeEvent({
          id: ids.next(timeMs),
          source: controlPlaneSource(cluster.id, 'schema-linking'),
          type: 'pipeline_logs',
          timeMs,
          data: {
            module: 'pipelines',
            pipeline_id: pipelineId,
            pipeline_name: pipelineName,
            stage: 'schema_linking',
            registry_id: registry.id,
            ...(job.state === 'done'
              ? { log_level: 'info', message: 'linked schemas', result: job.message }
              : { log_level: levelOf(job), message: 'failed to link schemas', error: job.message }),
            virtual_cluster_id: cluster.id,
            virtual_cluster_name: cluster.name,
          },
        }),
      });
      const kafka = clusters().filter(
        ({ type, workspaceId }) => type === 'byoc' && workspaceId === registry.workspaceId,
      );
      await Promise.all(
        kafka.map((cluster) => portOf(cluster.id).putControlPlaneEvents([eventFor(cluster)])),
      );
    } catch (error) {
      log.debug('failed to emit an event of schema linking', {
        clusterId: registry.id,
        error: (error as Error).message,
      });
    }
  };
}

/** A failure is a warning while it may pass by itself. */
function levelOf({ state }: ListedJob): 'warn' | 'error' {
  return state === 'failing' ? 'warn' : 'error';
}
