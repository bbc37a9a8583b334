import type * as z from 'zod';
import type { eventEnvelope } from './envelope-schema.ts';

/** An event as it is stored and returned. */
export type EventRecord = z.infer<typeof eventEnvelope>;

export const envelopeVersion = '1.0';
export const envelopeContentType = 'application/json';

interface AgentSource {
  readonly virtualClusterId: string;
  readonly agentId: string;
}

/** The source of events that an agent emits. */
export function agentSource({ virtualClusterId, agentId }: AgentSource): string {
  return `ws:agent:${virtualClusterId}:${agentId}`;
}

/** Returns the agent that emitted an event; `undefined` if the source is not an agent. */
export function readAgentSource(source: string): AgentSource | undefined {
  const [, virtualClusterId, agentId] = /^ws:agent:([^:]+):([^:]+)$/.exec(source) ?? [];
  return virtualClusterId === undefined || agentId === undefined ? undefined : { virtualClusterId, agentId };
}
