import { type Apis, type ErrorName, errors, type RequestOf } from '@weir/wire';
import { features } from '../cluster/features.ts';
import type { HandlerOf } from '../requests/handler.ts';
import { mayOnCluster } from '../security/access.ts';

type Update = RequestOf<Apis['UpdateFeatures']>['featureUpdates'][number];

/**
 * UpdateFeatures v0 to v2. The level of a feature comes with the release: to ask for the one that counts already is fine, and for
 * another one INVALID_UPDATE_VERSION, which goes for all of them and so is the error of the whole in every version. Before v2 features that
 * are fine are told one by one, when all of them are.
 *
 * - No updates at all is fine; one feature twice is INVALID_REQUEST.
 * - It takes ALTER on the cluster.
 */
export const updateFeaturesHandler: HandlerOf<Apis['UpdateFeatures']> = (request, context) => {
  const { apiVersion, access } = context;
  if (!mayOnCluster(access, 'ALTER')) {
    return answer('CLUSTER_AUTHORIZATION_FAILED', errors.CLUSTER_AUTHORIZATION_FAILED.message);
  }
  const { featureUpdates } = request;
  const names = featureUpdates.map(({ feature }) => feature);
  if (new Set(names).size < names.length) {
    return answer('INVALID_REQUEST', 'name every feature that is to change once');
  }
  const results = featureUpdates.map((update) => ({ feature: update.feature, ...judge(update) }));
  const firstProblem = results.find(({ errorCode }) => errorCode !== errors.NONE.code);
  if (firstProblem !== undefined) {
    return answer('INVALID_UPDATE_VERSION', firstProblem.errorMessage);
  }
  return { ...answer('NONE', null), results: apiVersion >= 2 ? [] : results };
};

function judge({ feature, maxVersionLevel }: Update) {
  const known = Object.hasOwn(features, feature) ? features[feature as keyof typeof features] : undefined;
  if (known?.level === maxVersionLevel) return { errorCode: errors.NONE.code, errorMessage: null };
  const message =
    known === undefined
      ? `this release has no feature ${feature}`
      : `this release has ${feature} at level ${known.level}, and no other`;
  return { errorCode: errors.INVALID_UPDATE_VERSION.code, errorMessage: message };
}

function answer(error: ErrorName, message: string | null) {
  return { throttleTimeMs: 0, errorCode: errors[error].code, errorMessage: message, results: [] };
}
