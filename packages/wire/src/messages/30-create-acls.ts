import { int8, int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client adds access rules (KIP-140).
 *
 * KIP-896 left v1, the first with pattern types (KIP-290), as the oldest. v2 is flexible, v3 adds the user resource
 * type (KIP-373).
 * The results are in the order of the rules and do not repeat them. The operation numbers are listed at DescribeAcls.
 */
export const createAcls = defineApi({
  key: 30,
  name: 'CreateAcls',
  versions: '1-3',
  flexible: '2+',
  request: {
    creations: structs({
      /** 2 topic, 3 group, 4 cluster, 5 transactional id, 6 delegation token, 7 user (v3+). */
      resourceType: int8(),
      /** `*` as a literal stands for all; the cluster is named `kafka-cluster`. */
      resourceName: string(),
      /** 3 literal, 4 prefixed; the filters any and match are INVALID_REQUEST. */
      resourcePatternType: int8({ default: 3 }),
      /** As in `User:alice`; `User:*` for all. */
      principal: string(),
      /** `*` for all. */
      host: string(),
      operation: int8(),
      /** 2 deny, 3 allow. */
      permissionType: int8(),
    }),
  },
  response: {
    throttleTimeMs: int32(),
    results: structs({
      errorCode: int16(),
      errorMessage: string({ nullable: true }),
    }),
  },
});
