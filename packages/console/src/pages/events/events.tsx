import { useClusterId } from '../../api/use-cluster.ts';
import { EventExplorer } from './explorer.tsx';
import { usePlace } from './state/use-place.ts';

export function Events() {
  const clusterId = useClusterId();
  return <EventExplorer key={clusterId} {...usePlace()} />;
}
