import type { Environment } from '@weir/core';
import { freePort } from '../../tests/interop/s3/server.ts';

/** Other ports than the one for clients are any that are free. */
export async function withPorts(environment: Environment): Promise<{ env: NodeJS.ProcessEnv; port: number }> {
  const port = await freePort();
  const others = { SERVICE_HTTP_PORT: '0', SERVICE_CONSOLE_PORT: '0', SERVICE_SCHEMA_REGISTRY_PORT: '0' };
  return { env: { ...environment, ...others, SERVICE_KAFKA_PORT: `${port}` }, port };
}

export const timesOf = (times: readonly number[], unitMs: number, digits: number) =>
  [...times]
    .sort((a, b) => a - b)
    .map((time) => (time / unitMs).toFixed(digits))
    .join(', ');
