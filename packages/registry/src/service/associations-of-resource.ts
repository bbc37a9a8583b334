import type { AssociationAnswer } from '../registry-answers.ts';
import type { RegistryState } from '../state/registry-state.ts';
import type { Resource } from './association-bodies.ts';

/**
 * The associations of one resource, by its id. A dry run may know the name only, which several resources can have had:
 * then those of the one that was changed last.
 */
export function associationsOf(state: RegistryState, resource: Resource): readonly AssociationAnswer[] {
  const { resourceName, resourceNamespace, resourceType } = resource;
  const ofType = [...state.associations().values()].filter((one) => one.resourceType === resourceType);
  const resourceId =
    resource.resourceId ??
    ofType
      .filter((one) => one.resourceName === resourceName && one.resourceNamespace === resourceNamespace)
      .sort((a, b) => b.updateTs - a.updateTs || b.createTs - a.createTs)[0]?.resourceId;
  return ofType
    .filter((one) => one.resourceId === resourceId)
    .sort((a, b) => (a.associationType < b.associationType ? -1 : 1));
}
