import type { Acl } from '@weir/core';
import { readAcls } from '../../acls/acl-entry.ts';
import { matchesAcl } from '../../acls/acl-filter.ts';
import type { AclFilter } from '../../cluster/acls-port.ts';
import type { Records } from '../kv/key-value-store.ts';

export function describeAcls(records: Pick<Records, 'of'>, filter: AclFilter): Acl[] {
  return readAcls(records.of('acl').keys())
    .filter((acl) => matchesAcl(filter, acl))
    .toArray();
}
