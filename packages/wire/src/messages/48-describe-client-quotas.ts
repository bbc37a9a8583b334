import { bool, float64, int8, int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client reads the quotas of the entities that match all components (KIP-546).
 *
 * v1 is flexible.
 */
export const describeClientQuotas = defineApi({
  key: 48,
  name: 'DescribeClientQuotas',
  versions: '0-1',
  flexible: '1+',
  request: {
    components: structs({
      /** user, client-id or ip. */
      entityType: string(),
      /** 0 this name, 1 the default entity, 2 any name. */
      matchType: int8(),
      /** Null unless the match type is 0. */
      match: string({ nullable: true }),
    }),
    /** Leaves out entities that have other types besides those of the components. */
    strict: bool(),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: string({ nullable: true }),
    /** Null with a top-level error. */
    entries: structs(
      {
        entity: structs({
          entityType: string(),
          /** Null for the default entity. */
          entityName: string({ nullable: true }),
        }),
        values: structs({
          /** Such as producer_byte_rate. */
          key: string(),
          value: float64(),
        }),
      },
      { nullable: true },
    ),
  },
});
