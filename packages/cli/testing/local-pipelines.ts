import assert from 'node:assert/strict';
import type { OutputOf } from '@weir/api';
import { pause } from '@weir/core/testing';
import { runningIn, serve } from './served-command.ts';

type Overview = OutputOf<'describe_pipeline'>['pipeline_overview'];

/** A local cluster, and calls of its API. */
export function startLocalCluster(t: Lifetime, ...flags: string[]) {
  return startLocalClusterIn(t, {}, ...flags);
}

type Lifetime = Parameters<typeof runningIn>[0];

/** The same with variables of the environment. */
export async function startLocalClusterIn(
  t: Lifetime,
  environment: Readonly<Record<string, string>>,
  ...flags: string[]
) {
  const ports = ['-kafkaPort', '0', '-httpPort', '0', '-consolePort', '0', '-schemaRegistryPort', '0'];
  const found = await serve(runningIn(t), ['local', ...ports, ...flags], /Ctrl-C/, { environment });
  const signedIn = await fetch(found(/sign in +(\S+)/), { redirect: 'manual' });
  const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!;
  const url = found(/control plane +(\S+)/);
  const call = async <Answer>(name: string, input: object): Promise<Answer> => {
    const response = await fetch(`${url}/api/v1/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie, origin: url },
      body: JSON.stringify(input),
    });
    const text = await response.text();
    assert.equal(response.status, 200, `${name}: ${text}`);
    return JSON.parse(text) as Answer;
  };
  const { virtual_clusters } = await call<{ virtual_clusters: { id: string; type: string }[] }>(
    'list_virtual_clusters',
    {},
  );
  const virtual_cluster_id = virtual_clusters.find(({ type }) => type === 'byoc')!.id;
  return { call, found, on: { virtual_cluster_id } };
}

type Local = Awaited<ReturnType<typeof startLocalCluster>>;

/** Deploys a configuration and starts the pipeline. */
export async function deployPipeline(
  { call, on }: Local,
  pipeline_id: string,
  configuration_yaml: string,
): Promise<string> {
  const target = { ...on, pipeline_id };
  const { configuration_id } = await call<{ configuration_id: string }>('create_pipeline_configuration', {
    ...target,
    configuration_yaml,
  });
  const change = { desired_state: 'running', deployed_configuration_id: configuration_id };
  await call('change_pipeline_state', { ...target, ...change });
  return configuration_id;
}

/** Waits until a pipeline is as expected; the test has a timeout. */
export async function untilPipeline(
  { call, on }: Local,
  pipeline_id: string,
  isThere: (found: Overview) => boolean,
) {
  for (;;) {
    const { pipeline_overview: found } = await call<OutputOf<'describe_pipeline'>>('describe_pipeline', {
      ...on,
      pipeline_id,
    });
    if (isThere(found)) return found;
    await pause(200);
  }
}

/** A configuration that makes messages. */
export const generating = (mapping: string, rest = '') =>
  `input: {generate: {mapping: '${mapping}', interval: 5ms${rest}}}\noutput: {drop: {}}\n`;
