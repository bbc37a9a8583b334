import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Page } from '../../ui/page.tsx';
import { EventExplorer } from '../events/explorer.tsx';
import { searchOf, stateOf } from '../events/state/explorer-state.ts';
import { AccessTabs } from './access-tabs.tsx';

const scope = { types: ['acl_logs'] } as const;

/** What ACLs allowed and denied: the explorer with the type fixed. */
export function AclEvents() {
  const { clusterId } = useParams({ from: '/frame/clusters/$clusterId/acls/events' });
  const search = useSearch({ from: '/frame/clusters/$clusterId/acls/events' });
  const navigate = useNavigate();
  return (
    <Page title="ACL events" facts="Requests that ACLs allowed or denied.">
      <AccessTabs clusterId={clusterId} />
      <EventExplorer
        key={clusterId}
        clusterId={clusterId}
        scope={scope}
        state={stateOf(search)}
        onState={(state, { isSamePlace }) =>
          void navigate({
            to: '/clusters/$clusterId/acls/events',
            params: { clusterId },
            search: searchOf(state),
            replace: isSamePlace,
            resetScroll: false,
          })
        }
      />
    </Page>
  );
}
