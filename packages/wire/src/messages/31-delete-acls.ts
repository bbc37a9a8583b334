import { int8, int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';
import { aclFilter } from './shared-fields.ts';

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
    filters: structs(aclFilter),
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
