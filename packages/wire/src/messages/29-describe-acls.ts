import { int8, int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';
import { aclFilter } from './shared-fields.ts';

/**
 * An admin client lists the access rules that match a filter (KIP-140).
 *
 * KIP-896 left v1, the first with pattern types (KIP-290), as the oldest. v2 is flexible, v3 adds the user
 * resource type (KIP-373).
 * Operations: 2 all, 3 read, 4 write, 5 create, 6 delete, 7 alter, 8 describe, 9 cluster action, 10 describe
 * configs, 11 alter configs, 12 idempotent write, 13 create tokens, 14 describe tokens, 15 two-phase commit;
 * 1 in a filter is any.
 */
export const describeAcls = defineApi({
  key: 29,
  name: 'DescribeAcls',
  versions: '1-3',
  flexible: '2+',
  request: aclFilter,
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: string({ nullable: true }),
    resources: structs({
      resourceType: int8(),
      resourceName: string(),
      /** 3 literal, 4 prefixed. */
      patternType: int8({ default: 3 }),
      acls: structs({
        principal: string(),
        /** `*` for all. */
        host: string(),
        operation: int8(),
        /** 2 deny, 3 allow. */
        permissionType: int8(),
      }),
    }),
  },
});
