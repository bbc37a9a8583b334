import { bool, int8, int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const updateFeatures = defineApi({
  key: 57,
  name: 'UpdateFeatures',
  versions: '0-2',
  flexible: '0+',
  request: {
    timeoutMs: int32({ default: 60000 }),
    featureUpdates: structs({
      feature: string(),
      maxVersionLevel: int16(),
      allowDowngrade: bool({ versions: '0' }),
      upgradeType: int8({ versions: '1+', default: 1 }),
    }),
    validateOnly: bool({ versions: '1+', default: false }),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: string({ nullable: true }),
    results: structs(
      {
        feature: string(),
        errorCode: int16(),
        errorMessage: string({ nullable: true }),
      },
      { versions: '0-1', ignorable: true },
    ),
  },
});
