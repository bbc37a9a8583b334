import type { OutputOf } from '@weir/api';
import { KafkaCluster } from '@weir/client';
import { systemClock } from '@weir/core';
import { Lifetime } from '../kafka/lifetime.ts';
import type { ServerProcess } from '../kafka/server-process.ts';
import { addressIn, startLocal, startPlayground } from '../kafka/weir.ts';

type Described = OutputOf<'orbit/describe_migration'>;
type Call = <Answer>(operation: string, input?: object) => Promise<Answer>;

/** A source without durable data, and a destination over files and SQLite; each is a process. */
export interface TwoClusters {
  /** Kafka addresses. */
  readonly source: string;
  readonly destination: string;
  /** The destination: its agent, which copies, and its control plane. */
  readonly process: ServerProcess;
  /** Calls the API of the destination. */
  readonly call: Call;
  described(): Promise<Described>;
  /** Starts a migration of all topics of the source. */
  migrate(): Promise<void>;
  open(address: string): KafkaCluster;
}

/** Other work on the machine must not slow down the clients. */
const flags = ['-highCPUBackpressureThresholdPercent', '0'];

/** Runs the work with two new clusters. */
export function withTwoClusters<Result>(work: (clusters: TwoClusters) => Promise<Result>): Promise<Result> {
  return Lifetime.during(async (lifetime) => {
    const options = { profileFolder: undefined, flags };
    const [source, playground] = await Promise.all([
      startLocal(lifetime, options),
      startPlayground(lifetime, options),
    ]);
    const process = playground.processes[0] as ServerProcess;
    const call = await signIn(process);
    const stop = new AbortController();
    const opened: KafkaCluster[] = [];
    try {
      return await work({
        source: source.servers,
        destination: playground.servers,
        process,
        call,
        described: () => call<Described>('orbit/describe_migration'),
        migrate: () => migrate(call, source.servers),
        open(address) {
          const cluster = new KafkaCluster({
            bootstrap: [addressOf(address)],
            ...{ clientId: 'bench', timeoutMs: 120_000, clock: systemClock, stop: stop.signal },
          });
          opened.push(cluster);
          return cluster;
        },
      });
    } finally {
      stop.abort();
      await Promise.all(opened.map((cluster) => cluster.close()));
    }
  });
}

function addressOf(broker: string): { readonly host: string; readonly port: number } {
  const [host = '', port] = broker.split(':');
  return { host, port: Number(port) };
}

/** Signs in with the link that the server printed. */
async function signIn(server: ServerProcess): Promise<Call> {
  const link = () => /sign in +(\S+)/.exec(server.text)?.[1];
  while (link() === undefined) await pause(50);
  const signedIn = await fetch(link()!, { redirect: 'manual' });
  const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!;
  const url = addressIn(server, 'control plane')!;
  const post = async <Answer>(operation: string, input: object): Promise<Answer> => {
    const response = await fetch(`${url}/api/v1/${operation}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie, origin: url },
      body: JSON.stringify(input),
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${operation}: ${response.status} ${text}`);
    return JSON.parse(text) as Answer;
  };
  const { virtual_clusters } = await post<OutputOf<'list_virtual_clusters'>>('list_virtual_clusters', {});
  const virtual_cluster_id = virtual_clusters.find(({ type }) => type === 'byoc')!.id;
  return (operation, input = {}) => post(operation, { virtual_cluster_id, ...input });
}

async function migrate(call: Call, source: string): Promise<void> {
  const { pipeline_id } = await call<{ pipeline_id: string }>('create_pipeline', {
    pipeline_name: 'move',
    pipeline_type: 'orbit',
  });
  const { host, port } = addressOf(source);
  const { configuration_id } = await call<{ configuration_id: string }>('create_pipeline_configuration', {
    pipeline_id,
    configuration_yaml: `source_bootstrap_brokers: [{hostname: ${host}, port: ${port}}]\ntopic_mappings: [{source_regex: ".*"}]\n`,
  });
  await call('change_pipeline_state', {
    pipeline_id,
    ...{ desired_state: 'running', deployed_configuration_id: configuration_id },
  });
}

export function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => systemClock.after(durationMs, resolve));
}
