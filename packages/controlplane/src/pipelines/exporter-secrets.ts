import type { ExporterSecrets } from '@weir/metadata';
import { revisionOf, type Secrets } from '../accounts/workspaces/secrets.ts';
import type { VirtualCluster } from '../accounts/workspaces/virtual-clusters.ts';

/** The secrets of exporters of a cluster: named ones that were made for them, and those in their configs. */
export function exporterSecrets(
  secrets: Pick<Secrets, 'list' | 'open' | 'sealText' | 'openText'>,
  { accountId, id: clusterId }: Pick<VirtualCluster, 'accountId' | 'id'>,
): ExporterSecrets {
  const place = { accountId, clusterId };
  return {
    async revisions(names) {
      const wanted = new Set(names);
      const all = await secrets.list(place);
      return new Map(
        all
          .filter(({ name, allowsExporters }) => allowsExporters && wanted.has(name))
          .map((secret) => [secret.name, revisionOf(secret)]),
      );
    },
    open: (names) => secrets.open(place, names, { forExporters: true }),
    async seal(exporter, settings) {
      const sealed = settings.map(({ setting, value }) =>
        secrets.sealText(value, purposeOf(clusterId, exporter, setting)),
      );
      return sealed.every((text) => text !== undefined) ? sealed : undefined;
    },
    async openSealed(exporter, settings) {
      const values = settings.flatMap(({ setting, sealed }) => {
        const value = secrets.openText(sealed, purposeOf(clusterId, exporter, setting));
        return value === undefined ? [] : [[sealed, value] as const];
      });
      return Object.fromEntries(values);
    },
  };
}

/** A sealed text that is moved to another exporter, or to another setting, does not open. */
function purposeOf(clusterId: string, exporter: string, setting: string): string {
  return `exporter ${JSON.stringify([clusterId, exporter, setting])}`;
}
