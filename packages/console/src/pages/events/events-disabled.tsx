import { useClusterId, useClusterOperation } from '../../api/use-cluster.ts';
import { useAction } from '../../api/use-operation.ts';
import { formatDuration } from '../../format/format.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, Failure } from '../../ui/states.tsx';

interface EventsDisabledProps {
  readonly onEnabled: () => void;
}

const nanosPerMs = 1_000_000;

/** Events are off until a person turns them on; this says what that costs. */
export function EventsDisabled({ onEnabled }: EventsDisabledProps) {
  const clusterId = useClusterId();
  const state = useClusterOperation('get_events_state', {});
  const enable = useAction('update_events_state');
  const retentionsMs = Object.values(state.data?.event_types ?? {}).flatMap(
    ({ retention_period_nanos: nanos }) => (nanos === undefined ? [] : [Number(nanos) / nanosPerMs]),
  );
  const longest = retentionsMs.length === 0 ? undefined : formatDuration(Math.max(...retentionsMs));
  return (
    <>
      {enable.isError && <Failure what="enable events" error={enable.error} />}
      <Empty
        title="Events are disabled"
        action={
          <Button
            kind="primary"
            disabled={enable.isPending}
            onClick={() =>
              enable.mutate({ virtual_cluster_id: clusterId, enabled: true }, { onSuccess: onEnabled })
            }
          >
            {enable.isPending ? 'Enabling events…' : 'Enable events'}
          </Button>
        }
        command={`weir cli events enable -cluster ${clusterId}`}
      >
        Enable events to search agent logs, ACL decisions, diagnostics and metrics of the cluster within
        seconds. They are written to internal topics in the bucket of the cluster
        {longest === undefined ? '' : `, are deleted after ${longest} at most`} and cost that storage and its
        requests. You can disable events at any time.
      </Empty>
    </>
  );
}
