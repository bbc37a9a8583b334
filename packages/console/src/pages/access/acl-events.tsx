import { useClusterId } from '../../api/use-cluster.ts';
import { Page } from '../../ui/page.tsx';
import { EventExplorer } from '../events/explorer.tsx';
import { usePlace } from '../events/state/use-place.ts';
import { AccessTabs } from './access-tabs.tsx';

const scope = { types: ['acl_logs'] } as const;

/** What ACLs allowed and denied: the explorer with the type fixed. */
export function AclEvents() {
  const clusterId = useClusterId();
  return (
    <Page title="ACL events" facts="Requests that ACLs allowed or denied.">
      <AccessTabs />
      <EventExplorer key={clusterId} scope={scope} {...usePlace()} />
    </Page>
  );
}
