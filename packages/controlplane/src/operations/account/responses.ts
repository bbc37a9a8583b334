import type { OutputOf } from '@weir/api';
import { timeText } from '@weir/core';
import type { KeyGrant, RoleGrant } from '../../accounts/access/grants.ts';
import type { ApiKey } from '../../accounts/keys/keys.ts';
import type { User } from '../../accounts/users/users.ts';

/** Converts records of the stores to responses. */

type KeyResponse = OutputOf<'list_api_keys'>['api_keys'][number];
type NewKeyResponse = OutputOf<'create_api_key'>;
type GrantResponse = KeyResponse['access_grants'][number];

function toKeyGrantResponse(grant: KeyGrant): GrantResponse {
  return {
    principal_kind: grant.principalKind,
    resource_kind: grant.resourceKind,
    resource_id: grant.resourceId,
    workspace_id: grant.workspaceId,
    managed_grant_name: grant.managedGrantName ?? '',
  };
}

export function toRoleGrantResponse({ workspaceId, managedGrantName }: RoleGrant): GrantResponse {
  return {
    principal_kind: '',
    resource_kind: '',
    resource_id: '*',
    workspace_id: workspaceId,
    managed_grant_name: managedGrantName,
  };
}

export function toKeyResponse(key: ApiKey): KeyResponse {
  return {
    ...keyFields(key),
    key_hint: key.secretTail,
    last_used_at: key.lastUsedMs === undefined ? null : timeText(key.lastUsedMs),
  };
}

/** With its secret, only here. */
export function toNewKeyResponse({
  key,
  secret,
}: {
  readonly key: ApiKey;
  readonly secret: string;
}): NewKeyResponse {
  return { ...keyFields(key), key: secret };
}

function keyFields({ id, name, grants, createdMs }: ApiKey) {
  return { id, name, access_grants: grants.map(toKeyGrantResponse), created_at: timeText(createdMs) };
}

export function toProfileResponse({ id, email, name }: User): OutputOf<'sign_in'>['user'] {
  return { id, email, name };
}

/** Sorts by name. */
export function byName<Thing extends { readonly name: string }>(things: readonly Thing[]): Thing[] {
  return things.toSorted((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name)));
}
