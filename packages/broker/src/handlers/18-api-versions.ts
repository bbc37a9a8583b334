import { type Api, type Apis, errors, type ResponseOf } from '@weir/wire';
import { featuresEpoch, finalizedFeatures, supportedFeatures } from '../cluster/features.ts';
import type { HandlerOf } from '../requests/handler.ts';

/**
 * ApiVersions v0 to v4: the APIs and versions that this agent serves, from the table of handlers.
 *
 * - The range of an API begins at its lowest advertised version (for Produce lower than what is served) and ends at its
 *   highest stable version.
 * - Features are those of features.ts, from v3 on.
 * - From v3 on, the client's software name and version must consist of letters, digits, dots and dashes; otherwise
 *   INVALID_REQUEST.
 * - The listener answers a version that is too high with `apiVersionsRefusal`, in the format of v0.
 */
export function apiVersionsHandler(served: () => readonly Api[]): HandlerOf<Apis['ApiVersions']> {
  return ({ clientSoftwareName, clientSoftwareVersion }, { apiVersion }) => {
    if (
      apiVersion >= featuresFromVersion &&
      !(isSoftwareWord(clientSoftwareName) && isSoftwareWord(clientSoftwareVersion))
    ) {
      return { errorCode: errors.INVALID_REQUEST.code, apiKeys: [] };
    }
    const ranges = { errorCode: errors.NONE.code, apiKeys: rangesOf(served()) };
    if (apiVersion < featuresFromVersion) return ranges;
    return {
      ...ranges,
      supportedFeatures: supportedFeatures(apiVersion),
      finalizedFeaturesEpoch: featuresEpoch,
      finalizedFeatures: finalizedFeatures(),
    };
  };
}

/** From this version on, requests name the client software and responses list features. */
const featuresFromVersion = 3;

export function apiVersionsRefusal(served: readonly Api[]): ResponseOf<Apis['ApiVersions']> {
  return { errorCode: errors.UNSUPPORTED_VERSION.code, apiKeys: rangesOf(served) };
}

function rangesOf(served: readonly Api[]) {
  return served.map((api) => ({
    apiKey: api.key,
    minVersion: api.lowestAdvertisedVersion,
    maxVersion: api.highestStableVersion,
  }));
}

function isSoftwareWord(text: string): boolean {
  return /^[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?$/.test(text);
}
