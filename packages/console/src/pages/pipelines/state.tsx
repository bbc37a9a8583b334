import type { OutputOf } from '@weir/api/client';
import { runnablePipelineTypes } from '@weir/api/pipeline-types';
import { Status } from '../../ui/status.tsx';

export type Pipeline = OutputOf<'list_pipelines'>['pipelines'][number];

export const typeNames: Readonly<Record<Pipeline['type'], string>> = {
  bento: 'Stream processing',
  orbit: 'Replication from Kafka',
  schema_linking: 'Schema linking',
  data_lake: 'Data lake',
};

export const hasEngine = ({ type }: Pick<Pipeline, 'type'>) => runnablePipelineTypes.includes(type);

/** Whether it is to run, and how that goes. */
export function PipelineState({ pipeline }: { readonly pipeline: Pipeline }) {
  const { state, run } = pipeline;
  if (state === 'paused') return <Status kind="muted">paused</Status>;
  if (run === undefined) return <Status kind="info">waits for an agent</Status>;
  if (run.status === 'error') return <Status kind="fail">fails</Status>;
  return <Status kind={run.status === 'waiting' ? 'info' : 'ok'}>{run.status}</Status>;
}
