import { bool, int8, int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const incrementalAlterConfigs = defineApi({
  key: 44,
  name: 'IncrementalAlterConfigs',
  versions: '0-1',
  flexible: '1+',
  request: {
    resources: structs({
      resourceType: int8(),
      resourceName: string(),
      configs: structs({
        name: string(),
        configOperation: int8(),
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
