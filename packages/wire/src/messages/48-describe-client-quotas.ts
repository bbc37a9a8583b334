import { bool, float64, int8, int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const describeClientQuotas = defineApi({
  key: 48,
  name: 'DescribeClientQuotas',
  versions: '0-1',
  flexible: '1+',
  request: {
    components: structs({
      entityType: string(),
      matchType: int8(),
      match: string({ nullable: true }),
    }),
    strict: bool(),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: string({ nullable: true }),
    entries: structs(
      {
        entity: structs({
          entityType: string(),
          entityName: string({ nullable: true }),
        }),
        values: structs({
          key: string(),
          value: float64(),
        }),
      },
      { nullable: true },
    ),
  },
});
