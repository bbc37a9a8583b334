import { mayOnCluster } from '@weir/security';
import { type Apis, type ErrorName, errors, type RequestOf } from '@weir/wire';
import { features } from '../cluster/features.ts';
import type { HandlerOf } from '../requests/handler.ts';

const upgradeTypesFromVersion = 1;
/** Upgrade, safe downgrade and unsafe downgrade. */
const upgradeTypes: ReadonlySet<number> = new Set([1, 2, 3]);

type Update = RequestOf<Apis['UpdateFeatures']>['featureUpdates'][number];

/**
 * UpdateFeatures v0 to v2. Feature levels are fixed by the release: a request for the current level succeeds, and any
 * other is INVALID_UPDATE_VERSION, as a top-level error in every version. If all updates succeed, versions before v2
 * list the result of each.
 *
 * - A change of an unknown type is INVALID_UPDATE_VERSION, even to the current level.
 * - An empty list succeeds; a repeated feature is INVALID_REQUEST.
 * - Requires ALTER on the cluster.
 */
export const updateFeaturesHandler: HandlerOf<Apis['UpdateFeatures']> = (request, context) => {
  const { apiVersion, access } = context;
  if (!mayOnCluster(access, 'ALTER')) {
    return answer('CLUSTER_AUTHORIZATION_FAILED', errors.CLUSTER_AUTHORIZATION_FAILED.message);
  }
  const { featureUpdates } = request;
  const names = featureUpdates.map(({ feature }) => feature);
  if (new Set(names).size < names.length) {
    return answer('INVALID_REQUEST', 'duplicate or missing feature name in the request');
  }
  const results = featureUpdates.map((update) => ({
    feature: update.feature,
    ...validate(update, apiVersion >= upgradeTypesFromVersion),
  }));
  const firstProblem = results.find(({ errorCode }) => errorCode !== errors.NONE.code);
  if (firstProblem !== undefined) {
    return answer('INVALID_UPDATE_VERSION', firstProblem.errorMessage);
  }
  return { ...answer('NONE', null), results: apiVersion >= 2 ? [] : results };
};

function validate({ feature, maxVersionLevel, upgradeType }: Update, hasUpgradeType: boolean) {
  if (hasUpgradeType && !upgradeTypes.has(upgradeType)) {
    return invalid(`unknown type ${upgradeType} of the change of ${feature}`);
  }
  const known = Object.hasOwn(features, feature) ? features[feature as keyof typeof features] : undefined;
  if (known?.level === maxVersionLevel) return { errorCode: errors.NONE.code, errorMessage: null };
  return invalid(
    known === undefined
      ? `unknown feature ${feature}`
      : `${feature} is fixed at level ${known.level} in this release`,
  );
}

function invalid(errorMessage: string) {
  return { errorCode: errors.INVALID_UPDATE_VERSION.code, errorMessage };
}

function answer(error: ErrorName, message: string | null) {
  return { throttleTimeMs: 0, errorCode: errors[error].code, errorMessage: message, results: [] };
}
