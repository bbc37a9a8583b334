import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { silentLog, systemClock, systemRandom } from '@weir/core';
import { type AccountsDatabase, openAccounts } from '../packages/controlplane/src/accounts/open.ts';
import type { ApiLoad, ApiLoadResult } from './api-load.ts';

/** Opens accounts with the cheapest password hashing, in memory by default. */
export function openBenchAccounts(url = 'memory://bench'): Promise<AccountsDatabase> {
  return openAccounts(url, {
    clock: systemClock,
    log: silentLog,
    random: systemRandom,
    randomBytes,
    passwordCost: { memoryKiB: 64, passes: 1, parallelism: 1 },
  });
}

/** Adds clusters, and keys that may read them. */
export async function stockAccounts(
  accounts: AccountsDatabase,
  scale: { readonly clusters: number; readonly keys: number },
) {
  const { account, workspaceId } = await accounts.accounts.create('Bench');
  const clusterIds: string[] = [];
  for (let n = 0; n < scale.clusters; n++) {
    const { id } = await accounts.virtualClusters.create(account.id, workspaceId, {
      name: `cluster_${n}`,
      type: 'byoc',
      tier: 'pro',
      cloudProvider: 'aws',
      place: { region: 'us-east-1' },
    });
    clusterIds.push(id);
  }
  const keys: string[] = [];
  for (let n = 0; n < scale.keys; n++) {
    const grants = [{ principalKind: 'app_r', resourceKind: '*', resourceId: '*', workspaceId } as const];
    const { secret } = await accounts.keys.create(account.id, { name: `key_${n}`, grants, createdBy: '' });
    keys.push(secret);
  }
  return { accountId: account.id, workspaceId, keys, clusterIds };
}

export interface Measured extends ApiLoadResult {
  /** CPU time of all threads except the client thread. */
  readonly serverCpuMs: number;
}

/** Runs the client load against a server in this thread. */
export async function measureLoad(load: ApiLoad): Promise<Measured> {
  const before = process.cpuUsage();
  const worker = new Worker(new URL('./api-load.ts', import.meta.url), { workerData: load });
  const [result] = (await once(worker, 'message')) as [ApiLoadResult];
  const { user, system } = process.cpuUsage(before);
  await worker.terminate();
  return { ...result, serverCpuMs: (user + system) / 1000 - result.clientCpuMs };
}
