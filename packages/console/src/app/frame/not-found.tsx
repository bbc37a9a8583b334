import { Outlet, useLocation, useParams } from '@tanstack/react-router';
import { clusterKind } from '@weir/core';
import { useOperation } from '../../api/use-operation.ts';
import { useContextOfCaller } from '../../session/context.ts';
import { isMissing, Missing } from '../../ui/missing.tsx';
import { Failure } from '../../ui/states.tsx';

const clustersLink = { label: 'All clusters', link: { to: '/clusters' } } as const;

/** A path that no page has. Below a cluster it leads back to that cluster. */
export function NotFound() {
  const { pathname } = useLocation();
  const { clusterId } = useParams({ strict: false });
  const ofCluster =
    clusterId === undefined
      ? []
      : [
          { label: 'Overview', link: { to: '/clusters/$clusterId', params: { clusterId } } } as const,
          clusterKind(clusterId) === 'data lake'
            ? ({
                label: 'Tables',
                link: { to: '/clusters/$clusterId/tables', params: { clusterId } },
              } as const)
            : ({
                label: 'Topics',
                link: { to: '/clusters/$clusterId/topics', params: { clusterId } },
              } as const),
        ];
  return (
    <Missing title="Page not found" name={pathname} links={[...ofCluster, clustersLink]}>
      No page has this path. The link may be mistyped or from another release.
    </Missing>
  );
}

/** The pages of a cluster, or that there is no such cluster. */
export function ClusterPages() {
  const { clusterId } = useParams({ from: '/frame/clusters/$clusterId' });
  const context = useContextOfCaller();
  const isListed =
    context.data?.workspaces.some(({ virtual_clusters }) =>
      virtual_clusters.some(({ id }) => id === clusterId),
    ) ?? true;
  // The list may be older than the cluster, so the control plane is asked.
  const described = useOperation(
    'describe_virtual_cluster',
    { virtual_cluster_id: clusterId },
    { isEnabled: !isListed },
  );
  if (isListed || !isMissing(described)) return <Outlet />;
  return (
    <Missing
      title="Cluster not found"
      name={clusterId}
      links={[
        clustersLink,
        { label: 'Deleted clusters', link: { to: '/clusters', search: { show: 'deleted' } } },
      ]}
    >
      It was deleted, belongs to another account, or you have no access to its workspace.
    </Missing>
  );
}

/** A page that cannot be loaded or drawn: the rest of the console still works. */
export function RouteFailure({ error, reset }: { readonly error: unknown; reset(): void }) {
  return <Failure what="show the page" error={error} onRetry={reset} />;
}
