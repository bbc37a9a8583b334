import type { OutputOf } from '@weir/api/client';

type Agent = OutputOf<'list_agents'>['agents'][number];

/** Where clients reach an agent; its host alone if it serves none. */
export function addressOf({
  host,
  kafka_port,
  schema_registry_port,
}: Pick<Agent, 'host' | 'kafka_port' | 'schema_registry_port'>): string {
  const port = kafka_port ?? schema_registry_port;
  return port === undefined ? host : `${host}:${port}`;
}
