import assert from 'node:assert/strict';
import { join } from 'node:path';
import { asker } from '@weir/agent/testing';
import { createClient } from '@weir/api';
import { signUpFirstUser } from '../brokers/first-user.ts';
import { leaderOf } from '../brokers/leader-of.ts';
import { type Lifetime, startWeir, temporaryFolder, type WeirProcess } from '../brokers/weir-process.ts';
import { startControlPlane } from '../postgres/control-plane.ts';

/** A schema registry cluster, made and started with the commands of docs/guides/schema-registry.md. */
interface RegistryCluster {
  readonly clusterId: string;
  readonly controlPlanes: readonly WeirProcess[];
  /** The arguments of an agent, without the port of its registry. */
  readonly agentArgs: readonly string[];
  /** A client of the API of a control plane, as its first user. */
  api(controlPlane?: number): ReturnType<typeof createClient>;
  /** Starts an agent; by default its registry has any free port. */
  addAgent(flags?: readonly string[]): Promise<WeirProcess>;
  /** The index of the control plane that leads the cluster. */
  leader(): Promise<number>;
}

export async function startRegistryCluster(
  lifetime: Lifetime,
  {
    controlPlaneCount = 1,
    controlPlaneFlags = [],
    folder = temporaryFolder(lifetime),
  }: {
    readonly controlPlaneCount?: number;
    readonly controlPlaneFlags?: readonly string[];
    readonly folder?: string;
  } = {},
): Promise<RegistryCluster> {
  const controlPlanes: WeirProcess[] = [];
  for (let number = 0; number < controlPlaneCount; number++)
    controlPlanes.push(
      await startControlPlane(
        lifetime,
        join(folder, 'weir.db'),
        join(folder, `control-plane-${number}`),
        ...controlPlaneFlags,
      ),
    );
  const urls = controlPlanes.map((plane) => plane.address('control plane'));
  const cookie = await signUpFirstUser(controlPlanes[0]!);
  const api = (controlPlane = 0) => {
    const baseUrl = urls[controlPlane]!;
    return createClient({ baseUrl, fetch, headers: { cookie, origin: baseUrl } });
  };
  const made = await api().call('create_virtual_cluster', {
    virtual_cluster_name: 'schemas',
    virtual_cluster_type: 'byoc_schema_registry',
  });
  const clusterId = made.virtual_cluster_id;
  const agentArgs = registryAgentArgs(urls, clusterId, made.agent_key!.key);
  return {
    clusterId,
    controlPlanes,
    agentArgs,
    api,
    addAgent: (flags) => startRegistryAgent(lifetime, agentArgs, flags),
    leader: () => leaderOf(controlPlanes, clusterId),
  };
}

export const anyPort = ['-schemaRegistryPort', '0'];

export function registryAgentArgs(urls: readonly string[], clusterId: string, agentKey: string): string[] {
  return [
    ...['agent', '-metadataURL', urls.join(), '-defaultVirtualClusterID', clusterId, '-agentKey', agentKey],
    ...['-availabilityZone', 'zone-a', '-bindAddress', '127.0.0.1', '-gracefulShutdownDuration', '5s'],
    ...['-httpPort', '0'],
  ];
}

export async function startRegistryAgent(
  lifetime: Lifetime,
  args: readonly string[],
  flags: readonly string[] = anyPort,
): Promise<WeirProcess> {
  const agent = await startWeir([...args, ...flags], ['registry', 'HTTP']);
  lifetime.after(() => agent.stop());
  return agent;
}

interface Answer {
  /** 0 if there was none. */
  readonly status: number;
  readonly body: unknown;
}

/** An agent, or one of the processes of an agent. */
export type Served = Pick<WeirProcess, 'address'>;

/** Sends one request to the registry of an agent. Never rejects. */
export async function ask(agent: Served, line: string, body?: object, login?: string): Promise<Answer> {
  try {
    const { status, json } = await asker(Number(new URL(agent.address('registry')).port))(line, body, login);
    return { status, body: json };
  } catch (error) {
    return { status: 0, body: String(error) };
  }
}

/** Sends a request that has to succeed. */
export async function demand(agent: Served, line: string, body?: object, login?: string): Promise<unknown> {
  const answer = await ask(agent, line, body, login);
  assert.equal(answer.status, 200, `${line}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Everything that a registry has, as clients see it. */
export async function contentsOf(agent: Served, login?: string): Promise<Record<string, unknown>> {
  const get = (path: string) => demand(agent, `GET ${path}`, undefined, login);
  const subjects = (await get('/subjects?deleted=true')) as string[];
  const contents: Record<string, unknown> = {
    contexts: await get('/contexts'),
    liveSubjects: await get('/subjects'),
    schemas: await get('/schemas?subjectPrefix=:*:&deleted=true'),
    config: await get('/config'),
    mode: await get('/mode'),
  };
  for (const subject of subjects) {
    const path = encodeURIComponent(subject);
    contents[subject] = [
      await get(`/subjects/${path}/versions?deletedAsNegative=true&deleted=true`),
      (await ask(agent, `GET /config/${path}`, undefined, login)).body,
      (await ask(agent, `GET /mode/${path}`, undefined, login)).body,
    ];
  }
  return contents;
}
