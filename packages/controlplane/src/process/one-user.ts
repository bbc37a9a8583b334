import { everywhere } from '../accounts/access/grants.ts';
import type { AccountsDatabase } from '../accounts/open.ts';
import type { User } from '../accounts/users/users.ts';

/** No identity provider has this issuer, so that neither a password nor a provider opens the account. */
const identity = { issuer: 'urn:weir:process', subject: 'owner' };

/** The keys that the owner of a process for one has from its start. */
export interface OwnerKeys {
  /** Opens the workspace that the account begins with. */
  readonly applicationKey: string;
  /** Makes other keys. */
  readonly accountKey: string;
  /** Whether a database of an earlier release, which had no such key, is to learn it. */
  readonly isAccountKeyNew?: boolean | undefined;
}

/**
 * The only user of a process: the person who reads its output. Nothing when the installation is set up. The keys are
 * for programs of that user, who can revoke them.
 */
export async function oneUser(
  accounts: AccountsDatabase,
  { applicationKey, accountKey, isAccountKeyNew = false }: OwnerKeys,
): Promise<User | undefined> {
  const made = await accounts.setup.finishAlone({
    accountName: 'Playground',
    email: 'playground@localhost.localdomain',
    name: 'Playground',
    proof: { identity },
  });
  const user = made?.user ?? (await accounts.users.findByIdentity(identity));
  if (user === undefined) return undefined;
  if (made !== undefined) {
    const grant = { ...ofEverything, principalKind: 'app', workspaceId: made.workspaceId } as const;
    const key = { name: 'playground', grants: [grant], createdBy: user.id, secret: applicationKey };
    await accounts.keys.create(user.accountId, key);
  }
  // Only at its first start: a key that was revoked stays revoked.
  if (made !== undefined || isAccountKeyNew) await addAccountKey(accounts, user, accountKey);
  return user;
}

const ofEverything = { resourceKind: everywhere, resourceId: everywhere } as const;
const accountKeyName = 'playground_account';

async function addAccountKey(accounts: AccountsDatabase, user: User, secret: string): Promise<void> {
  const grant = { ...ofEverything, principalKind: '*', workspaceId: everywhere } as const;
  await accounts.keys.create(user.accountId, {
    name: accountKeyName,
    grants: [grant],
    createdBy: user.id,
    secret,
  });
}
