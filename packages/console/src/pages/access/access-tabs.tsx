import { useClusterId } from '../../api/use-cluster.ts';
import { Tabs } from '../../ui/page.tsx';

/** Who may connect, and what they may do. */
export function AccessTabs() {
  const clusterId = useClusterId();
  const params = { clusterId };
  return (
    <Tabs
      tabs={[
        { label: 'ACLs', link: { to: '/clusters/$clusterId/acls', params } },
        { label: 'Events', link: { to: '/clusters/$clusterId/acls/events', params } },
        { label: 'Credentials', link: { to: '/clusters/$clusterId/credentials', params } },
        { label: 'Workload identities', link: { to: '/clusters/$clusterId/workload-identities', params } },
        { label: 'Quotas', link: { to: '/clusters/$clusterId/quotas', params } },
      ]}
    />
  );
}
