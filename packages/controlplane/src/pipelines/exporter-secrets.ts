import type { ExporterSecrets } from '@weir/metadata';
import { revisionOf, type Secrets } from '../accounts/workspaces/secrets.ts';
import type { VirtualCluster } from '../accounts/workspaces/virtual-clusters.ts';

/** The secrets of a cluster that its exporters may use: those that were made for them. */
export function exporterSecrets(
  secrets: Pick<Secrets, 'list' | 'open'>,
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
  };
}
