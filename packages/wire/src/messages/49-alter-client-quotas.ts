import { bool, float64, int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client sets and removes quotas (KIP-546).
 *
 * v1 is flexible.
 * Each entity succeeds or fails as a whole.
 */
export const alterClientQuotas = defineApi({
  key: 49,
  name: 'AlterClientQuotas',
  versions: '0-1',
  flexible: '1+',
  request: {
    entries: structs({
      entity: structs({
        /** user, client-id or ip. */
        entityType: string(),
        /** Null for the default entity. */
        entityName: string({ nullable: true }),
      }),
      ops: structs({
        /** Such as producer_byte_rate. */
        key: string(),
        /** Ignored in a removal. */
        value: float64(),
        remove: bool(),
      }),
    }),
    /** Validates the request without changing anything. */
    validateOnly: bool(),
  },
  response: {
    throttleTimeMs: int32(),
    entries: structs({
      errorCode: int16(),
      errorMessage: string({ nullable: true }),
      entity: structs({
        entityType: string(),
        entityName: string({ nullable: true }),
      }),
    }),
  },
});
