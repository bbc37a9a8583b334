import { bool, int16, int32, int64, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * A client asks which APIs the server has and in which versions (KIP-35), usually before any other request.
 *
 * v1 adds the throttle time, v2 throttles after the answer (KIP-219), v3 adds the flexible encoding, the client's name
 * (KIP-511) and features (KIP-584), v4 features whose minimum is 0 (KAFKA-17011). v5 (KIP-1242) is left out: with it a
 * server rejects clients that meant another node, which a stateless server cannot detect.
 * The response header is always v0. A version that is too high is answered as v0, with UNSUPPORTED_VERSION and the
 * range of this API, so that the client can retry. Allowed before authentication.
 */
export const apiVersions = defineApi({
  key: 18,
  name: 'ApiVersions',
  versions: '0-4',
  flexible: '3+',
  request: {
    /** Letters, digits and inner dots and dashes, as in the version; else INVALID_REQUEST. */
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
    /** Features with minimum 0 must be left out below v4. */
    supportedFeatures: structs(
      {
        name: string(),
        minVersion: int16(),
        maxVersion: int16(),
      },
      { versions: '3+', tag: 0, ignorable: true },
    ),
    /** Must never decrease; the Java client ignores the features if it does or if it is below 0. */
    finalizedFeaturesEpoch: int64({ versions: '3+', default: -1n, tag: 1, ignorable: true }),
    /** `transaction.version` 2, `group.version` 1 and `share.version` 1 change what clients do. */
    finalizedFeatures: structs(
      {
        name: string(),
        maxVersionLevel: int16(),
        minVersionLevel: int16(),
      },
      { versions: '3+', tag: 2, ignorable: true },
    ),
    /** A leftover of the migration from ZooKeeper to KRaft. */
    zkMigrationReady: bool({ versions: '3+', default: false, tag: 3, ignorable: true }),
  },
});
