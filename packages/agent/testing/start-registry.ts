import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { startTestLeader } from '@weir/broker/testing';
import { newScramCredential } from '@weir/cluster';
import { AllowedHosts, TenantVariables } from '@weir/cluster/outbound';
import { Metrics, silentLog, systemClock, systemRandom } from '@weir/core';
import type { RegistrySettings } from '@weir/gateway';
import type { LinkingPipeline } from '@weir/metadata';
import { startRegistryAgent } from '../src/registry-agent.ts';

/** Agents of one schema registry cluster, over a real leader whose journal is in memory. */
export async function startRegistry(
  t: TestContext,
  configs: Readonly<Record<string, string>> = {},
  pipelines: readonly LinkingPipeline[] = [],
) {
  const leader = await startTestLeader({
    idPrefix: 'vci_sr_',
    configs,
    prepare: (started) => started.runSchemaLinking({ pipelines: async () => pipelines }),
  });
  const { clusterId, node } = leader;
  t.after(() => leader.stop());
  return {
    node,
    async agent(agentId: string, settings: Partial<RegistrySettings> = {}) {
      const metrics = new Metrics();
      const agent = await startRegistryAgent({
        clusterId,
        agentId,
        group: '',
        zone: 'zone-a',
        roles: ['proxy', 'jobs'],
        host: '127.0.0.1',
        httpPort: 0,
        advertisedHost: '127.0.0.1',
        registry: { port: 0, requiresLogin: false, logsRequests: false, ...settings },
        servesMetrics: true,
        cluster: node,
        load: { sample: () => ({ cpu: 0, eventLoop: 0, loopCpu: 0 }) },
        cpuCount: 1,
        tenantAccess: {
          hosts: new AllowedHosts(['public', 'loopback']),
          variables: new TenantVariables({
            WEIR_PIPELINE_USER: 'reader',
            WEIR_PIPELINE_PASSWORD: 'secret',
          }),
        },
        clock: systemClock,
        random: systemRandom,
        log: silentLog,
        metrics,
      });
      t.after(() => agent.stop({ deadlineMs: 1_000 }));
      const ask = asker(agent.registryPort);
      return { agent, ask, metrics };
    },
    async addUser(username: string, { isSuperuser = false, isReadOnly = false } = {}) {
      const [result] = await node.putCredentials([
        {
          username,
          id: `cci_${username}`,
          name: `ccn_${username}`,
          isSuperuser,
          isReadOnly,
          isFromFile: false,
          password: await newScramCredential('secret', randomBytes),
        },
      ]);
      assert.equal(result!.error, 'NONE');
    },
  };
}

/** Asks a registry of this machine: `GET /subjects`. */
export function asker(port: number) {
  return async (line: string, body?: object, login?: string) => {
    const [method, path] = line.split(' ') as [string, string];
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(login === undefined ? {} : { authorization: `Basic ${btoa(login)}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, json: text === '' ? undefined : (JSON.parse(text) as unknown) };
  };
}
