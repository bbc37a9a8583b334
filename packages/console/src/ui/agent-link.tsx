import { Link } from '@tanstack/react-router';

interface AgentLinkProps {
  readonly clusterId: string;
  readonly agentId: string;
}

export function AgentLink({ clusterId, agentId }: AgentLinkProps) {
  return (
    <Link
      to="/clusters/$clusterId/agents/$agentId"
      params={{ clusterId, agentId }}
      title={agentId}
      className="font-mono text-xs text-ink hover:underline"
    >
      {agentId}
    </Link>
  );
}
