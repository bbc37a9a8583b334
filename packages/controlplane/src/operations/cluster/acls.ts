import type { InputOf } from '@weir/api';
import { type AclFilter, aclKey, describeAcl, problemOfOperation } from '@weir/cluster';
import type { Acl } from '@weir/core';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { refuse } from './refusals.ts';
import type { ClusterServices } from './services.ts';
import { byText } from './wire-values.ts';

type AclOnTheWire = InputOf<'virtual_clusters/acls/create'>['acl'];

export const everyAcl: AclFilter = {
  resourceType: 'ANY',
  resourceName: null,
  patternType: 'ANY',
  principal: null,
  host: null,
  operation: 'ANY',
  permission: 'ANY',
};

export function aclOperations({ clusterPort }: ClusterServices) {
  return {
    'virtual_clusters/acls/list': async ({ virtual_cluster_id }) => {
      const acls = await clusterPort(virtual_cluster_id).describeAcls(everyAcl);
      return { acls: inOrder(acls).map(toAclResponse) };
    },

    'virtual_clusters/acls/create': async ({ virtual_cluster_id, acl }, context) => {
      // The Kafka protocol takes such a rule, as Apache Kafka does. Here a person writes it, and it would never match.
      const problem = problemOfOperation(given(acl));
      if (problem !== undefined) throw new OperationFailed('invalid_request', problem);
      const [result] = await clusterPort(virtual_cluster_id).createAcls([given(acl)]);
      refuse(result!, { INVALID_REQUEST: 'invalid_request', POLICY_VIOLATION: 'limit_exceeded' });
      context.changed([{ name: 'acl', before: null, after: describeAcl(given(acl)) }]);
      return { acl };
    },

    'virtual_clusters/acls/delete': async ({ virtual_cluster_id, acls }, context) => {
      // A filter with all fields matches at most one rule.
      const results = await clusterPort(virtual_cluster_id).deleteAcls(acls.map(given));
      for (const result of results) refuse(result, { INVALID_REQUEST: 'invalid_request' });
      const deleted = new Map(results.flatMap((result) => result.deleted).map((acl) => [aclKey(acl), acl]));
      context.changed(
        [...deleted.values()].map((acl) => ({ name: 'acl', before: describeAcl(acl), after: null })),
      );
      return { acls: [...deleted.values()].map(toAclResponse) };
    },
  } satisfies SomeHandlers;
}

function given(acl: AclOnTheWire): Acl {
  return {
    resourceType: acl.resource_type,
    resourceName: acl.resource_name,
    patternType: acl.pattern_type,
    principal: acl.principal,
    host: acl.host,
    operation: acl.operation,
    permission: acl.permission_type,
  };
}

export function toAclResponse(acl: Acl): AclOnTheWire {
  return {
    resource_type: acl.resourceType,
    resource_name: acl.resourceName,
    pattern_type: acl.patternType,
    principal: acl.principal,
    host: acl.host,
    operation: acl.operation,
    permission_type: acl.permission,
  };
}

/** The cluster has no order; people and tools that compare lists need one. */
function inOrder(acls: readonly Acl[]): Acl[] {
  return acls
    .map((acl) => [aclKey(acl), acl] as const)
    .sort(([a], [b]) => byText(a, b))
    .map(([, acl]) => acl);
}
