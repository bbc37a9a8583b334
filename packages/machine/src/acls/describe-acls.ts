import { type AclFilter, matchesAcl, readAcls } from '@weir/cluster';
import type { Acl } from '@weir/core';
import type { Records } from '../kv/key-value-store.ts';

export function describeAcls(records: Pick<Records, 'of'>, filter: AclFilter): Acl[] {
  return readAcls(records.of('acl').keys())
    .filter((acl) => matchesAcl(filter, acl))
    .toArray();
}
