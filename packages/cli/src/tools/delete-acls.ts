import { deleteAcls } from '@weir/client';
import type { Handler } from '../handler.ts';
import { escapeControls } from '../problem.ts';
import { printResult } from '../results/results.ts';
import { aclFilters, aclsTable, sortedAcls } from './acl-fields.ts';
import { onCluster } from './connection.ts';

/**
 * Deletes the ACLs that the filters match, and prints them, so that a user who deleted too many can create them again.
 */
export const deleteAclsTool: Handler<'cli delete-acls'> = async (values, deps) => {
  const { output } = deps;
  const filters = aclFilters(values);
  const { deleted, failures } = await onCluster(values, deps, (cluster) => deleteAcls(cluster, filters));
  const acls = sortedAcls(deleted);
  printResult(values, deps, {
    json: acls,
    text: () => `${aclsTable(acls)}deleted ${acls.length} ACLs\n`,
  });
  for (const { message } of failures) output.err(`weir cli delete-acls: ${escapeControls(message)}\n`);
  return failures.length === 0 ? 0 : 1;
};
