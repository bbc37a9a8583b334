import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useClusterOperation } from '../../api/use-cluster.ts';
import { Answer } from '../../ui/states.tsx';
import { EventExplorer } from '../events/explorer.tsx';
import { usePlace } from '../events/state/use-place.ts';

const path = '/frame/clusters/$clusterId/pipelines/$pipelineId/logs';

/** What the pipeline said: the explorer of events with type and pipeline fixed. */
export function PipelineLogs() {
  const { pipelineId } = useParams({ from: path });
  const described = useClusterOperation('describe_pipeline', { pipeline_id: pipelineId });
  return (
    <Answer of={described} what="describe the pipeline">
      {({ pipeline_overview }) => <LogsOf name={pipeline_overview.name} />}
    </Answer>
  );
}

function LogsOf({ name }: { readonly name: string }) {
  const { pipelineId } = useParams({ from: path });
  const scope = useMemo(
    () => ({ types: ['pipeline_logs'], filter: `data.pipeline_name == ${JSON.stringify(name)}` }) as const,
    [name],
  );
  return <EventExplorer key={pipelineId} scope={scope} {...usePlace()} />;
}
