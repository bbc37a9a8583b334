import type { OutputOf } from '@weir/api/client';
import { runnablePipelineTypes } from '@weir/api/pipeline-types';
import { visibleText } from '../../format/visible-text.ts';
import { Status } from '../../ui/status.tsx';

export type Pipeline = OutputOf<'list_pipelines'>['pipelines'][number];

export const typeNames: Readonly<Record<Pipeline['type'], string>> = {
  bento: 'Stream processing',
  orbit: 'Replication from Kafka',
  schema_linking: 'Schema linking',
  data_lake: 'Data lake',
};

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
