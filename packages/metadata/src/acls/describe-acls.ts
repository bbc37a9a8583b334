import type { Acl } from '@weir/core';
import type { AclFilter } from '../cluster/acls-port.ts';
import type { Records } from '../machine/kv/key-value-store.ts';
import { readAcls } from './acl-entry.ts';
import { matchesAcl } from './acl-filter.ts';

export function describeAcls(records: Pick<Records, 'of'>, filter: AclFilter): Acl[] {
  return readAcls(records.of('acl').keys())
    .filter((acl) => matchesAcl(filter, acl))
    .toArray();
}
