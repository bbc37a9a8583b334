import { ObjectLink } from './object-link.tsx';

interface AgentLinkProps {
  readonly agentId: string;
}

export function AgentLink({ agentId }: AgentLinkProps) {
  return (
    <ObjectLink
      of={{ kind: 'agent', name: agentId }}
      className="font-mono text-xs text-ink hover:underline"
    />
  );
}
