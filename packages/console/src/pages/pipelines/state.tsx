import type { OutputOf } from '@weir/api/client';
import {
  pipelineEngineNote,
  pipelineTypeNames,
  pipelineTypes,
  runnablePipelineTypes,
} from '@weir/api/pipeline-types';
import { clusterKind } from '@weir/core';
import { visibleText } from '../../format/visible-text.ts';
import { Status } from '../../ui/status.tsx';

export type Pipeline = OutputOf<'list_pipelines'>['pipelines'][number];

export const typeNames: Readonly<Record<Pipeline['type'], string>> = {
  bento: 'Stream processing',
  orbit: 'Replication from Kafka',
  schema_linking: 'Schema linking',
  data_lake: 'Data lake',
};

const clusterTypes = {
  kafka: 'byoc',
  'schema registry': 'byoc_schema_registry',
  'data lake': 'byoc_data_lake',
} as const;

/** The types of pipelines that a cluster may have. */
export function typesOfCluster(clusterId: string): readonly Pipeline['type'][] {
  const clusterType = clusterTypes[clusterKind(clusterId)];
  return pipelineTypeNames.filter((type) => pipelineTypes[type].clusterType === clusterType);
}

/** What to say about types of this cluster that this release does not run; empty if it runs all of them. */
export function engineNoteOf(clusterId: string): string {
  return typesOfCluster(clusterId).every((type) => hasEngine({ type })) ? '' : pipelineEngineNote;
}

export const hasEngine = ({ type }: Pick<Pipeline, 'type'>) => runnablePipelineTypes.includes(type);

/** What was done or what is wrong. An agent can refuse what the control plane took, so that it is named then. */
export function runText({ status, message, agent_id }: NonNullable<Pipeline['run']>): string {
  const isNamed = status === 'error' && agent_id !== undefined;
  return visibleText(isNamed ? `Agent ${agent_id}: ${message}` : message);
}

/** Whether it is to run, and how that goes. */
export function PipelineState({ pipeline }: { readonly pipeline: Pipeline }) {
  const { state, run } = pipeline;
  if (state === 'paused') return <Status kind="muted">paused</Status>;
  if (run === undefined) return <Status kind="info">waiting for an agent</Status>;
  if (run.status === 'error')
    return (
      <Status kind="fail">
        <span title={runText(run)}>failing</span>
      </Status>
    );
  return <Status kind={run.status === 'waiting' ? 'info' : 'ok'}>{run.status}</Status>;
}
