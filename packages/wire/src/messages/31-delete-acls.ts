import { int8, int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const deleteAcls = defineApi({
  key: 31,
  name: 'DeleteAcls',
  versions: '1-3',
  flexible: '2+',
  request: {
    filters: structs({
      resourceTypeFilter: int8(),
      resourceNameFilter: string({ nullable: true }),
      patternTypeFilter: int8({ default: 3 }),
      principalFilter: string({ nullable: true }),
      hostFilter: string({ nullable: true }),
      operation: int8(),
      permissionType: int8(),
    }),
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
        patternType: int8({ default: 3 }),
        principal: string(),
        host: string(),
        operation: int8(),
        permissionType: int8(),
      }),
    }),
  },
});
