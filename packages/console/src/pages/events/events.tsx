import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { EventExplorer } from './explorer.tsx';
import { searchOf, stateOf } from './state/explorer-state.ts';

export function Events() {
  const { clusterId } = useParams({ from: '/frame/clusters/$clusterId/events' });
  const search = useSearch({ from: '/frame/clusters/$clusterId/events' });
  const navigate = useNavigate();
  return (
    <EventExplorer
      key={clusterId}
      clusterId={clusterId}
      state={stateOf(search)}
      onState={(state, { isSamePlace }) =>
        void navigate({
          to: '/clusters/$clusterId/events',
          params: { clusterId },
          search: searchOf(state),
          replace: isSamePlace,
          resetScroll: false,
        })
      }
    />
  );
}
