import type { OutputOf } from '@weir/api/client';
import { visibleText } from '../../../format/visible-text.ts';
import { Status } from '../../../ui/status.tsx';

export type BucketStatusOfAgents = NonNullable<
  OutputOf<'describe_virtual_cluster_configuration'>['bucket_status']
>;

/** Whether agents write to the bucket that the cluster names, and why some do not. */
export function BucketStatus({ status }: { readonly status: BucketStatusOfAgents }) {
  const { state, agents, agents_left_out: leftOut } = status;
  if (state === 'in_use') return <Status kind="ok">In use by all agents</Status>;
  return (
    <div className="flex flex-col gap-1">
      <Status kind={state === 'refused' ? 'fail' : 'warn'}>
        {state === 'refused' ? 'Pending: some agents cannot use it and write to the old bucket' : 'Pending'}
      </Status>
      {agents.length === 0 && <p className="text-xs text-muted">No agent is connected.</p>}
      <ul className="text-xs text-muted">
        {agents.map(({ agent_id: id, host, reason }) => (
          <li key={id} className="break-words">
            {visibleText(`${id} at ${host}: ${reason}`)}
          </li>
        ))}
        {leftOut > 0 && <li>and {leftOut} more</li>}
      </ul>
    </div>
  );
}
