import { ObjectLink } from './object-link.tsx';

interface AgentLinkProps {
  readonly clusterId: string;
  readonly agentId: string;
}

export function AgentLink({ clusterId, agentId }: AgentLinkProps) {
  return (
    <ObjectLink
      clusterId={clusterId}
      of={{ kind: 'agent', name: agentId }}
      className="font-mono text-xs text-ink hover:underline"
    />
  );
}
