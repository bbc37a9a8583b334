import { namePrefixes } from '@weir/api';
import { type KeyGrant, keyKindOf } from '../../accounts/access/grants.ts';
import type { Actor } from '../../accounts/access/permissions.ts';
import type { AccountsDatabase } from '../../accounts/open.ts';
import { OperationFailed } from '../operation-failed.ts';
import { toNewKeyResponse } from './responses.ts';

const nameCharsMax = 128;

/** Creates a key along with another object, named after it. The end of the id makes names distinct. */
export async function makeKeyFor(
  { keys }: Pick<AccountsDatabase, 'keys'>,
  thing: { readonly accountId: string; readonly id: string; readonly name: string },
  grant: KeyGrant,
  maker: Actor,
) {
  const ending = `_${thing.id.replaceAll('_', '').slice(-8)}`;
  const word = thing.name.replace(/[^a-zA-Z0-9_]/g, '_').slice(0, nameCharsMax - ending.length);
  const made = await keys.create(thing.accountId, {
    name: namePrefixes.apiKey + word + ending,
    grants: [grant],
    createdBy: makerId(maker),
  });
  return toNewKeyResponse(made);
}

export function makerId(actor: Actor): string {
  return actor.kind === 'anonymous' ? '' : actor.id;
}

/**
 * Returns the application key that a new key with these grants is bound to: both are revoked together, so that a key
 * cannot create another that outlives it. Keys that account keys create are not bound, because replacing an account key
 * would revoke all of them, nor are agent keys, because replacing an application key would stop all agents.
 */
export function boundTo(actor: Actor, grants: readonly KeyGrant[]): string | undefined {
  if (actor.kind !== 'api_key' || !grants.every(({ principalKind }) => principalKind === 'app_r'))
    return undefined;
  if (actor.grants.some((grant) => keyKindOf(grant).kind === 'account')) return undefined;
  if (actor.isCombined === true)
    throw new OperationFailed('invalid_request', 'Send only one API key to create a key.');
  return actor.id;
}
