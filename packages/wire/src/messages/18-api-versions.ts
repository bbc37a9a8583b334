import { bool, int16, int32, int64, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const apiVersions = defineApi({
  key: 18,
  name: 'ApiVersions',
  versions: '0-4',
  flexible: '3+',
  request: {
    clientSoftwareName: string({ versions: '3+', ignorable: true }),
    clientSoftwareVersion: string({ versions: '3+', ignorable: true }),
  },
  response: {
    errorCode: int16(),
    apiKeys: structs({
      apiKey: int16(),
      minVersion: int16(),
      maxVersion: int16(),
    }),
    throttleTimeMs: int32({ versions: '1+', ignorable: true }),
    supportedFeatures: structs(
      {
        name: string(),
        minVersion: int16(),
        maxVersion: int16(),
      },
      { versions: '3+', tag: 0, ignorable: true },
    ),
    finalizedFeaturesEpoch: int64({ versions: '3+', default: -1n, tag: 1, ignorable: true }),
    finalizedFeatures: structs(
      {
        name: string(),
        maxVersionLevel: int16(),
        minVersionLevel: int16(),
      },
      { versions: '3+', tag: 2, ignorable: true },
    ),
    zkMigrationReady: bool({ versions: '3+', default: false, tag: 3, ignorable: true }),
  },
});
