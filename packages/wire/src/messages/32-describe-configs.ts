import { bool, int8, int16, int32, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const describeConfigs = defineApi({
  key: 32,
  name: 'DescribeConfigs',
  versions: '1-4',
  flexible: '4+',
  request: {
    resources: structs({
      resourceType: int8(),
      resourceName: string(),
      configurationKeys: listOf(string, { nullable: true }),
    }),
    includeSynonyms: bool({ default: false }),
    includeDocumentation: bool({ versions: '3+', default: false }),
  },
  response: {
    throttleTimeMs: int32(),
    results: structs({
      errorCode: int16(),
      errorMessage: string({ nullable: true }),
      resourceType: int8(),
      resourceName: string(),
      configs: structs({
        name: string(),
        value: string({ nullable: true }),
        readOnly: bool(),
        configSource: int8({ default: -1 }),
        isSensitive: bool(),
        synonyms: structs({
          name: string(),
          value: string({ nullable: true }),
          source: int8(),
        }),
        configType: int8({ versions: '3+', default: 0, ignorable: true }),
        documentation: string({ versions: '3+', nullable: true, ignorable: true }),
      }),
    }),
  },
});
