import { useParams } from '@tanstack/react-router';
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
    () =>
      type === 'data_lake'
        ? // Events of tables name no pipeline: these are of all tables of the cluster.
          ({ types: ['tableflow_logs'] } as const)
        : ({ types: ['pipeline_logs'], filter: `data.pipeline_name == ${JSON.stringify(name)}` } as const),
    [name, type],
  );
  return <EventExplorer key={pipelineId} scope={scope} {...usePlace()} />;
}
