/** A filter of DescribeAcls and DeleteAcls, in our words. */
export interface AclFilter {
  readonly resourceTypeFilter: number;
  readonly resourceNameFilter: string | null;
  readonly patternTypeFilter: number;
  readonly principalFilter: string | null;
  readonly hostFilter: string | null;
  readonly operation: number;
  readonly permissionType: number;
}

/** Both clients name the members of a filter as those of an ACL. */
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
