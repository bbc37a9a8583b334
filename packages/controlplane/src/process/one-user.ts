import { everywhere } from '../accounts/access/grants.ts';
import type { AccountsDatabase } from '../accounts/open.ts';
import type { User } from '../accounts/users/users.ts';

/** No identity provider has this issuer, so neither a password nor a provider gives access to the account. */
const identity = { issuer: 'urn:weir:process', subject: 'owner' };

/** The keys that the owner of a single-user process has from its start. */
export interface OwnerKeys {
  /** For the first workspace of the account. */
  readonly applicationKey: string;
  /** Creates other keys. */
  readonly accountKey: string;
  /** Whether to add the key to a database of an earlier release, which had no such key. */
  readonly isAccountKeyNew?: boolean | undefined;
}

/**
 * Creates the only user of a process: the person who reads its output. `undefined` if the installation is set up. The
 * keys are for programs of that user, who can revoke them.
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
  // Only at its first start: a revoked key stays revoked.
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
