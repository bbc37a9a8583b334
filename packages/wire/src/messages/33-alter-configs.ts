import { bool, int8, int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const alterConfigs = defineApi({
  key: 33,
  name: 'AlterConfigs',
  versions: '0-2',
  flexible: '2+',
  request: {
    resources: structs({
      resourceType: int8(),
      resourceName: string(),
      configs: structs({
        name: string(),
        value: string({ nullable: true }),
      }),
    }),
    validateOnly: bool(),
  },
  response: {
    throttleTimeMs: int32(),
    responses: structs({
      errorCode: int16(),
      errorMessage: string({ nullable: true }),
      resourceType: int8(),
      resourceName: string(),
    }),
  },
});
