import { bool, int8, int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client raises or lowers the level of features of the cluster (KIP-584).
 *
 * v1 distinguishes safe downgrades from unsafe ones and adds the dry run (KIP-778), v2 drops the results per feature:
 * since then all updates happen or none.
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
      /** Below 1 it removes the feature. */
      maxVersionLevel: int16(),
      allowDowngrade: bool({ versions: '0' }),
      /** 1 upgrade, 2 downgrade without loss, 3 downgrade even with loss. */
      upgradeType: int8({ versions: '1+', default: 1 }),
    }),
    /** Validates the request without changing anything. */
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
