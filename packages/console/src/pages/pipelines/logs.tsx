import { useParams } from '@tanstack/react-router';
import { printLiteral } from '@weir/events';
import { useMemo } from 'react';
import { useClusterOperation } from '../../api/use-cluster.ts';
import { Answer } from '../../ui/states.tsx';
import { EventExplorer } from '../events/explorer.tsx';
import { usePlace } from '../events/state/use-place.ts';
import type { Pipeline } from './state.tsx';

const path = '/frame/clusters/$clusterId/pipelines/$pipelineId/logs';

/** What the pipeline said: the explorer of events with type and pipeline fixed. */
export function PipelineLogs() {
  const { pipelineId } = useParams({ from: path });
  const described = useClusterOperation('describe_pipeline', { pipeline_id: pipelineId });
  return (
    <Answer of={described} what="describe the pipeline">
      {({ pipeline_overview }) => <LogsOf pipeline={pipeline_overview} />}
    </Answer>
  );
}

function LogsOf({ pipeline: { name, type } }: { readonly pipeline: Pick<Pipeline, 'name' | 'type'> }) {
  const { pipelineId } = useParams({ from: path });
  const scope = useMemo(
    () => ({
      types: [type === 'data_lake' ? ('tableflow_logs' as const) : ('pipeline_logs' as const)],
      filter: `data.pipeline_name == ${printLiteral(name)}`,
    }),
    [name, type],
  );
  return <EventExplorer key={pipelineId} scope={scope} {...usePlace()} />;
}
