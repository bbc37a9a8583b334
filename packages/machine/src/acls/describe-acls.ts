import { type AclFilter, matchesAcl, readAcls } from '@weir/cluster';
import type { Acl } from '@weir/core';
import type { KeyValueStore } from '../kv/key-value-store.ts';

export function describeAcls(kv: Pick<KeyValueStore, 'of'>, filter: AclFilter): Acl[] {
  return readAcls(kv.of('acl').keys())
    .filter((acl) => matchesAcl(filter, acl))
    .toArray();
}
