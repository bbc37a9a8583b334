import { useParams } from '@tanstack/react-router';
import { EventExplorer } from './explorer.tsx';
import { usePlace } from './state/use-place.ts';

export function Events() {
  const { clusterId } = useParams({ from: '/frame/clusters/$clusterId/events' });
  return <EventExplorer key={clusterId} clusterId={clusterId} {...usePlace()} />;
}
