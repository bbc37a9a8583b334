import { everywhere } from '../accounts/grants.ts';
import type { AccountsDatabase } from '../accounts/open.ts';
import type { User } from '../accounts/users.ts';

/** Nobody else speaks for this issuer, so that no password and no provider ever opens the account. */
const identity = { issuer: 'urn:weir:process', subject: 'owner' };

/**
 * The user of a process that has one only: whoever sees its output. Nothing when people have set it up for themselves. Programs of his use
 * the application key, which he can revoke.
 */
export async function oneUser(accounts: AccountsDatabase, applicationKey: string): Promise<User | undefined> {
  const made = await accounts.setup.finishAlone({
    accountName: 'Playground',
    email: 'playground@localhost.localdomain',
    name: 'Playground',
    proof: { identity },
  });
  if (made === undefined) return accounts.users.findByIdentity(identity);
  const { user, account, workspaceId } = made;
  const grant = {
    principalKind: 'app',
    resourceKind: everywhere,
    resourceId: everywhere,
    workspaceId,
  } as const;
  const key = { name: 'playground', grants: [grant], createdBy: user.id, secret: applicationKey };
  await accounts.keys.create(account.id, key);
  return user;
}
