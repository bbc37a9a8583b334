import { int8, int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const createAcls = defineApi({
  key: 30,
  name: 'CreateAcls',
  versions: '1-3',
  flexible: '2+',
  request: {
    creations: structs({
      resourceType: int8(),
      resourceName: string(),
      resourcePatternType: int8({ default: 3 }),
      principal: string(),
      host: string(),
      operation: int8(),
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
