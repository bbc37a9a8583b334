import { createHash } from 'node:crypto';
import type { KeyGrant, RoleGrant } from '../src/accounts/access/grants.ts';
import type { AccountsDatabase } from '../src/accounts/open.ts';

export const password = 'correct horse battery';

/** The objects of an account in a test. */
export interface TestAccount {
  readonly accountId: string;
  /** `a` is the older one. */
  readonly a: TestWorkspace;
  readonly b: TestWorkspace;
  readonly adminRoleId: string;
  key(name: string, ...grants: KeyGrant[]): Promise<string>;
  /** Returns the address of a user who has a role with these grants, and the password above. */
  user(name: string, ...grants: RoleGrant[]): Promise<string>;
}

interface TestWorkspace {
  readonly id: string;
  readonly clusterId: string;
}

/** An account with two workspaces, a cluster in each. */
export async function makeAccount(accounts: AccountsDatabase, name: string): Promise<TestAccount> {
  const { account, workspaceId, adminRoleId } = await accounts.accounts.create(name);
  const accountId = account.id;
  const second = await accounts.workspaces.create(accountId, 'Second');
  const cluster = async (id: string, clusterName: string): Promise<TestWorkspace> => {
    const made = await accounts.virtualClusters.create(accountId, id, {
      name: clusterName,
      type: 'byoc',
      tier: 'pro',
      cloudProvider: 'aws',
      place: { region: 'us-east-1' },
    });
    return { id, clusterId: made.id };
  };
  return {
    accountId,
    adminRoleId,
    a: await cluster(workspaceId, 'orders'),
    b: await cluster(second.id, 'payments'),
    async key(keyName, ...grants) {
      const { secret } = await accounts.keys.create(accountId, { name: keyName, grants, createdBy: '' });
      return secret;
    },
    async user(userName, ...grants) {
      const email = `${userName}@${createHash('sha256').update(name).digest('hex').slice(0, 8)}.example`;
      const role = await accounts.roles.create(accountId, `role of ${userName}`, grants);
      await accounts.users.create(accountId, {
        email,
        name: userName,
        proof: { password },
        roleIds: [role.id],
      });
      return email;
    },
  };
}

export const appGrant = (workspaceId: string, principalKind: 'app' | 'app_r' = 'app'): KeyGrant => ({
  principalKind,
  resourceKind: '*',
  resourceId: '*',
  workspaceId,
});

export const agentGrant = ({ id, clusterId }: TestWorkspace, principalKind: 'agent' | 'agent_r' = 'agent') =>
  ({
    principalKind,
    resourceKind: 'virtual_cluster',
    resourceId: clusterId,
    workspaceId: id,
  }) satisfies KeyGrant;

export const accountGrant: KeyGrant = {
  principalKind: '*',
  resourceKind: '*',
  resourceId: '*',
  workspaceId: '*',
};
