import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { hashAgentKey } from '@weir/controlplane';
import { jsonLog, Metrics, release } from '@weir/core';
import type { Handler } from '../commands/handler.ts';
import { startClusterProcess } from './cluster-process.ts';
import { identityIn } from './identity.ts';
import { explainingPorts } from './taken-port.ts';
import { untilStopped } from './until-stopped.ts';

const defaultDataDir = 'weir-data';

/**
 * One control-plane process of a cluster. Any number of them share a database; one leads and the others stand by. Without a
 * cluster id and a key of its own it makes both, once, and keeps them in its data directory.
 */
export const controlPlane: Handler<'control-plane'> = async (values, { clock, output, stop }) => {
  const dataDir = resolve(values.dataDir ?? defaultDataDir);
  const hasIdentity = values.defaultVirtualClusterID !== undefined && values.agentKey !== undefined;
  const identity = hasIdentity ? undefined : identityIn(dataDir);
  const clusterId = values.defaultVirtualClusterID ?? identity!.clusterId;
  const agentKey = values.agentKey ?? identity!.agentKey;
  const log = jsonLog({
    level: values.logLevel,
    nowMs: clock.nowMs,
    write: (line) => output.err(`${line}\n`),
  });
  const { consolePort } = values;
  const cluster = await explainingPorts({ consolePort }, () =>
    startClusterProcess({
      clusterId,
      databaseUrl: values.databaseURL ?? join(dataDir, 'weir.db'),
      host: '0.0.0.0',
      port: consolePort,
      advertisedHost: values.controlPlaneHost ?? hostname(),
      processId: randomUUID(),
      agentKeys: [{ name: 'akn_default', keyHash: hashAgentKey(agentKey), clusterId }],
      credentialsFile: values.saslCredentialsFile,
      bindingsFile: values.workloadIdentityBindingsFile,
      clock,
      log,
      metrics: new Metrics({ agent_version: release }),
    }),
  );
  output.out(
    [
      `weir ${release} control-plane serves ${clusterId}`,
      `  control plane  ${cluster.url}`,
      ...(identity === undefined ? [] : [`  agent key      in ${join(dataDir, 'identity.json')}`]),
      '',
    ].join('\n'),
  );
  await untilStopped(stop);
  await cluster.stop();
  return 0;
};
