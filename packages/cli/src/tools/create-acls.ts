import type { Handler } from '../commands/handler.ts';
import { escapeControls } from '../flags/problem.ts';
import { createAcls } from '../kafka/acls.ts';
import { withCluster } from '../kafka/cluster.ts';
import { aclsText, newAcls } from './acl-fields.ts';
import { clusterOptions } from './connection.ts';

/** Makes one ACL for each principal and operation. One that is refused does not keep the others. */
export const createAclsTool: Handler<'cli create-acls'> = async (values, surroundings) => {
  const { output } = surroundings;
  const acls = newAcls(values);
  const failures = await withCluster(await clusterOptions(values, surroundings), (cluster) =>
    createAcls(cluster, acls),
  );
  const made = acls.filter((_, index) => failures[index] === undefined);
  if (made.length > 0) output.out(aclsText(made, values.output));
  for (const failure of failures) {
    if (failure !== undefined) output.err(`weir cli create-acls: ${escapeControls(failure.message)}\n`);
  }
  return made.length === acls.length ? 0 : 1;
};
