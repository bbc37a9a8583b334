import { aclSwitchAdvice, areAclsEnforced, createAcls } from '@weir/client';
import type { Handler } from '../handler.ts';
import { escapeControls } from '../problem.ts';
import { printResult } from '../results/results.ts';
import { aclsTable, newAcls } from './acl-fields.ts';
import { onCluster } from './connection.ts';

/** Creates one ACL for each principal and operation. A rejected one does not prevent the others. */
export const createAclsTool: Handler<'cli create-acls'> = async (values, deps) => {
  const { output } = deps;
  const acls = newAcls(values);
  const { failures, isEnforced } = await onCluster(values, deps, async (cluster) => ({
    failures: await createAcls(cluster, acls),
    isEnforced: await areAclsEnforced(cluster),
  }));
  const made = acls.filter((_, index) => failures[index] === undefined);
  if (made.length > 0) printResult(values, deps, { json: made, text: () => aclsTable(made) });
  for (const failure of failures) {
    if (failure !== undefined) output.err(`weir cli create-acls: ${escapeControls(failure.message)}\n`);
  }
  if (made.length > 0 && isEnforced === false)
    output.err(`weir cli create-acls: warning: the cluster does not enforce ACLs; ${aclSwitchAdvice}\n`);
  return made.length === acls.length ? 0 : 1;
};
