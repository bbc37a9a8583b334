import { useOperation } from '../../api/use-operation.ts';
import { Command, Skeleton } from '../../ui/states.tsx';
import { connectCommands } from './connect-commands.ts';

interface WaysProps {
  readonly clusterId: string;
  readonly username: string;
  readonly password: string;
}

/** Commands with a login in them that work as they are. */
export function WaysToConnect({ clusterId, username, password }: WaysProps) {
  const input = { virtual_cluster_id: clusterId };
  const cluster = useOperation('describe_virtual_cluster', input);
  const agents = useOperation('list_agents', input, { everyMs: 5_000 });
  const agent = agents.data?.agents.find(({ kafka_port }) => kafka_port !== undefined);
  const bootstrap =
    agent === undefined
      ? (cluster.data?.virtual_cluster.bootstrap_url ?? undefined)
      : `${agent.host}:${agent.kafka_port}`;
  if (agents.data === undefined && !agents.isError) return <Skeleton rows={3} />;
  return (
    <div className="flex flex-col gap-3">
      {bootstrap === undefined && (
        <p className="text-sm text-body">
          No agent is connected yet, so the address below is a placeholder. The Agents page shows how to start
          one.
        </p>
      )}
      {connectCommands({ bootstrap: bootstrap ?? 'AGENT_HOST:9092', username, password }).map(
        ([label, text]) => (
          <section key={label} aria-label={label}>
            <h3 className="mb-1 text-sm font-medium text-ink">{label}</h3>
            <Command text={text} />
          </section>
        ),
      )}
    </div>
  );
}
