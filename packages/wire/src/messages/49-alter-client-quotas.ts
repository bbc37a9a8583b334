import { bool, float64, int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const alterClientQuotas = defineApi({
  key: 49,
  name: 'AlterClientQuotas',
  versions: '0-1',
  flexible: '1+',
  request: {
    entries: structs({
      entity: structs({
        entityType: string(),
        entityName: string({ nullable: true }),
      }),
      ops: structs({
        key: string(),
        value: float64(),
        remove: bool(),
      }),
    }),
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
