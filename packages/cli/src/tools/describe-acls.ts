import { type AclResponse, describeAcls } from '@weir/client';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { aclFilters, aclsTable, sortedAcls } from './acl-fields.ts';
import { onCluster } from './connection.ts';

export const describeAclsTool: Handler<'cli describe-acls'> = async (values, deps) => {
  const found: AclResponse[] = [];
  await onCluster(values, deps, async (cluster) => {
    for (const filter of aclFilters(values)) found.push(...(await describeAcls(cluster, filter)));
  });
  const acls = sortedAcls(found);
  return printResult(values, deps, { json: acls, text: () => aclsTable(acls) });
};
