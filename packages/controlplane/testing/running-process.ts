import { randomBytes, randomUUID } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { OperationName, OutputOf } from '@weir/api';
import { Metrics, silentLog, systemClock, systemRandom } from '@weir/core';
import { type ClusterClient, connectCluster } from '@weir/rpc';
import { freshKeySecret } from '../src/accounts/secrets/secrets.ts';
import {
  type ControlPlaneProcess,
  type ReadyProcess,
  startControlPlaneProcess,
} from '../src/process/control-plane-process.ts';
import type { ControlPlaneProcessOptions } from '../src/process/options.ts';

export function freshClusterId(): string {
  return `vci_${randomUUID().replaceAll('-', '_')}`;
}

export const freshKey = () => freshKeySecret(randomBytes);

/** A control-plane process on loopback, stopped with the test if it still runs. */
export async function startProcess(
  t: TestContext,
  options: Partial<ControlPlaneProcessOptions> = {},
): Promise<ControlPlaneProcess & ReadyProcess> {
  const first = { id: freshClusterId(), agentKey: freshKey() };
  const started = await startControlPlaneProcess({
    databaseUrl: `memory://${randomUUID()}`,
    host: '127.0.0.1',
    port: 0,
    advertisedHost: '127.0.0.1',
    processId: randomUUID(),
    firstCluster: () => first,
    clock: systemClock,
    log: silentLog,
    metrics: new Metrics(),
    ...options,
  });
  t.after(() => started.stop());
  return { ...started, ...(await started.whenReady()) };
}

export interface Answered<Output> {
  readonly status: number;
  readonly body: Output & { readonly error?: string; readonly message?: string };
  readonly cookie: string | undefined;
}

/** Calls the API of a process as a program would, or as a page of the console if there is a cookie. */
export async function callApi<Name extends OperationName>(
  url: string,
  name: Name,
  input: Readonly<Record<string, unknown>>,
  proof: { readonly key?: string; readonly cookie?: string } = {},
): Promise<Answered<OutputOf<Name>>> {
  const response = await fetch(`${url}/api/v1/${name}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(proof.key === undefined ? {} : { 'service-api-key': proof.key }),
      ...(proof.cookie === undefined ? {} : { cookie: proof.cookie, 'sec-fetch-site': 'same-origin' }),
    },
    body: JSON.stringify(input),
  });
  return {
    status: response.status,
    body: (await response.json()) as Answered<OutputOf<Name>>['body'],
    cookie: response.headers.get('set-cookie')?.split(';', 1)[0],
  };
}

/** Connects as an agent does. */
export function connectAgent(
  t: TestContext,
  url: string,
  clusterId: string,
  agentKey: string,
): ClusterClient {
  const client = connectCluster({
    urls: [url],
    clusterId,
    agentKey: () => agentKey,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    metrics: new Metrics(),
  });
  t.after(() => client.close());
  return client;
}
