import { int8, int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const describeUserScramCredentials = defineApi({
  key: 50,
  name: 'DescribeUserScramCredentials',
  versions: '0',
  flexible: '0+',
  request: {
    users: structs(
      {
        name: string(),
      },
      { nullable: true },
    ),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: string({ nullable: true }),
    results: structs({
      user: string(),
      errorCode: int16(),
      errorMessage: string({ nullable: true }),
      credentialInfos: structs({
        mechanism: int8(),
        iterations: int32(),
      }),
    }),
  },
});
