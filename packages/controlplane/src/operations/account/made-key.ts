import { namePrefixes } from '@weir/api';
import type { KeyGrant } from '../../accounts/grants.ts';
import type { AccountsDatabase } from '../../accounts/open.ts';
import type { Actor } from '../../accounts/permissions.ts';
import { toldNewKey } from './told.ts';

const nameCharsMax = 128;

/** A key that is made along with something, named after it. The end of the id keeps names apart. */
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
  return toldNewKey(made);
}

export function makerId(actor: Actor): string {
  return actor.kind === 'anonymous' ? '' : actor.id;
}
