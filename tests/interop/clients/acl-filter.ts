import type { Apis, RequestOf } from '@weir/wire';

/** A filter of DescribeAcls and DeleteAcls, with Weir's names. */
export type AclFilter = RequestOf<Apis['DescribeAcls']>;

/** Returns the filter in the form of both clients, which use the field names of ACLs. */
export function aclFilterOptions(filter: AclFilter): object {
  return {
    resourceType: filter.resourceTypeFilter,
    resourceName: filter.resourceNameFilter,
    resourcePatternType: filter.patternTypeFilter,
    principal: filter.principalFilter,
    host: filter.hostFilter,
    operation: filter.operation,
    permissionType: filter.permissionType,
  };
}
