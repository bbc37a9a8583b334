import { int8, int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client removes the access rules that match any of its filters (KIP-140).
 *
 * KIP-896 left v1, the first with pattern types (KIP-290), as the oldest. v2 is flexible, v3 adds the user resource
 * type (KIP-373).
 * The results are in the order of the filters, each with the rules it removed. The operation numbers are listed at
 * DescribeAcls.
 */
export const deleteAcls = defineApi({
  key: 31,
  name: 'DeleteAcls',
  versions: '1-3',
  flexible: '2+',
  request: {
    filters: structs({
      /** 1 any, 2 topic, 3 group, 4 cluster, 5 transactional id, 6 delegation token, 7 user (v3+). */
      resourceTypeFilter: int8(),
      /** Null for any. */
      resourceNameFilter: string({ nullable: true }),
      /** 1 any, 2 all patterns that match the name, 3 literal, 4 prefixed. */
      patternTypeFilter: int8({ default: 3 }),
      /** Null for any. */
      principalFilter: string({ nullable: true }),
      /** Null for any. */
      hostFilter: string({ nullable: true }),
      operation: int8(),
      /** 1 any, 2 deny, 3 allow. */
      permissionType: int8(),
    }),
  },
  response: {
    throttleTimeMs: int32(),
    filterResults: structs({
      errorCode: int16(),
      errorMessage: string({ nullable: true }),
      matchingAcls: structs({
        errorCode: int16(),
        errorMessage: string({ nullable: true }),
        resourceType: int8(),
        resourceName: string(),
        /** 3 literal, 4 prefixed. */
        patternType: int8({ default: 3 }),
        principal: string(),
        host: string(),
        operation: int8(),
        permissionType: int8(),
      }),
    }),
  },
});
