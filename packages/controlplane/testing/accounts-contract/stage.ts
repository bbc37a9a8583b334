import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, type ErrorCode } from '@weir/api';
import type { KeyGrant } from '../../src/accounts/access/grants.ts';
import type { AuditNote } from '../../src/accounts/audit/audit-log.ts';
import { type AccountsDatabase, openAccounts } from '../../src/accounts/open.ts';
import type { NewVirtualCluster } from '../../src/accounts/workspaces/virtual-clusters.ts';
import { accountsDeps, type TestDeps } from '../accounts-deps.ts';

export const password = 'correct horse battery';
export const proof = { password };
export const ada = { accountName: 'Example', email: 'Ada@Example.com', name: 'Ada', proof };
export const cluster: NewVirtualCluster = {
  name: 'orders',
  type: 'byoc',
  tier: 'pro',
  cloudProvider: 'aws',
  place: { region: 'us-east-1' },
};
export const appGrant = (workspaceId: string): KeyGrant => {
  return { principalKind: 'app', resourceKind: '*', resourceId: '*', workspaceId };
};
export const agentGrant = (resourceId: string): KeyGrant => {
  return { principalKind: 'agent', resourceKind: 'virtual_cluster', resourceId, workspaceId: '' };
};
export const dayMs = 24 * 3_600_000;

export const note: AuditNote = {
  accountId: 'ti_1',
  actor: { kind: 'user', id: 'ui_1', name: 'ada@example.com' },
  remoteAddress: '203.0.113.7',
  userAgent: 'Firefox',
  operation: 'delete_topic',
  workspaceId: 'wi_1',
  targets: ['vci_1', 'orders'],
  result: 'ok',
};

export async function refused(work: Promise<unknown>, code: ErrorCode): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.code, code, error.message);
    return true;
  });
}

/** The outcome of each: `ok`, or the code of its error. */
export async function outcomes(works: readonly Promise<unknown>[]): Promise<string[]> {
  const results = await Promise.allSettled(works);
  return results.map((result) => {
    if (result.status === 'fulfilled') return 'ok';
    assert.ok(result.reason instanceof ApiError, String(result.reason));
    return result.reason.code;
  });
}

export interface Scene extends AccountsDatabase {
  readonly url: string;
  readonly deps: TestDeps;
  /** Opens the same tables as another process. */
  another(): Promise<AccountsDatabase>;
}

/** The objects that a first user created. */
export interface First {
  readonly accountId: string;
  readonly workspaceId: string;
  readonly userId: string;
}

/** How parts of the contract define their tests. */
export interface Stage {
  /** Over empty tables. */
  contract(name: string, run: (scene: Scene) => Promise<void>): void;
  /** With a first user. */
  inhabited(name: string, run: (scene: Scene, first: First) => Promise<void>): void;
}

/** `fresh` gives the URL of an empty database each time. */
export function stageOf(driver: string, fresh: () => Promise<string> | string): Stage {
  function contract(name: string, run: (scene: Scene) => Promise<void>) {
    test(`${driver}: ${name}`, async () => {
      const url = await fresh();
      const deps = accountsDeps();
      const opened: AccountsDatabase[] = [];
      const open = async () => {
        const one = await openAccounts(url, deps);
        opened.push(one);
        return one;
      };
      try {
        await run({ ...(await open()), url, deps, another: open });
      } finally {
        for (const one of opened) await one.close();
      }
    });
  }

  /** With a first user. */
  function inhabited(name: string, run: (scene: Scene, first: First) => Promise<void>) {
    contract(name, async (scene) => {
      const made = await scene.setup.finishAlone(ada);
      await run(scene, {
        accountId: made!.account.id,
        workspaceId: made!.workspaceId,
        userId: made!.user.id,
      });
    });
  }

  return { contract, inhabited };
}
