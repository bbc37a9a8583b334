import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useOperation } from '../../api/use-operation.ts';
import { clusterLabel } from '../../format/cluster-label.ts';
import { clusterPages } from '../pages-of-cluster.ts';
import type { FrameProps } from './sidebar.tsx';

const opening = new EventTarget();

export function openPalette(): void {
  opening.dispatchEvent(new Event('open'));
}

interface Target {
  readonly id: string;
  readonly label: string;
  /** What it is: `page`, `topic`. */
  readonly kind: string;
  go(): void;
}

/** Reaches every page and object by the keyboard. */
export function CommandPalette({ context, clusterId }: FrameProps) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const open = () => setOpen(true);
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setOpen((wasOpen) => !wasOpen);
    };
    opening.addEventListener('open', open);
    window.addEventListener('keydown', onKey);
    return () => {
      opening.removeEventListener('open', open);
      window.removeEventListener('keydown', onKey);
    };
  }, []);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/30" />
        <Dialog.Popup
          aria-label="Search"
          className="fixed top-[12vh] left-1/2 z-40 flex max-h-[70vh] w-[min(36rem,calc(100vw-2rem))] -translate-x-1/2 flex-col rounded-md border border-line bg-raised shadow-popover"
        >
          <Targets context={context} clusterId={clusterId} onDone={() => setOpen(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Targets({ context, clusterId, onDone }: FrameProps & { readonly onDone: () => void }) {
  const targets = useTargets({ context, clusterId });
  return (
    <Autocomplete.Root
      items={targets}
      itemToStringValue={(target: Target) => `${target.label} ${target.kind}`}
      inline
      open
      autoHighlight="always"
      keepHighlight
      limit={200}
    >
      <Autocomplete.Input
        autoFocus
        placeholder="Pages, clusters, topics, groups …"
        className="h-11 border-b border-line bg-transparent px-4 text-base text-ink outline-none placeholder:text-faint"
      />
      <Autocomplete.Empty className="px-4 py-6 text-center text-muted empty:hidden">
        Nothing has this name.
      </Autocomplete.Empty>
      <Autocomplete.List className="overflow-y-auto p-1 empty:p-0">
        {(target: Target) => (
          <Autocomplete.Item
            key={target.id}
            value={target}
            onClick={() => {
              onDone();
              target.go();
            }}
            className="flex items-center gap-2 rounded px-3 py-1.5 text-sm text-ink outline-none data-highlighted:bg-hover"
          >
            <span className="min-w-0 flex-1 truncate">{target.label}</span>
            <span className="text-xs text-muted">{target.kind}</span>
          </Autocomplete.Item>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}

function useTargets({ context, clusterId }: FrameProps): readonly Target[] {
  const navigate = useNavigate();
  const isInCluster = clusterId !== undefined;
  const input = { virtual_cluster_id: clusterId ?? '' };
  const { data: topics } = useOperation('list_topics', input, { isEnabled: isInCluster });
  const { data: groups } = useOperation(
    'list_consumer_groups',
    { ...input, limit: 1000 },
    { isEnabled: isInCluster },
  );
  const all = context?.workspaces.flatMap(({ virtual_clusters }) => virtual_clusters) ?? [];
  const clusters = all.map((cluster) => ({
    id: cluster.id,
    label: clusterLabel(cluster),
    kind: 'cluster',
    go: () => void navigate({ to: '/clusters/$clusterId', params: { clusterId: cluster.id } }),
  }));
  const listOfClusters: Target = {
    id: 'clusters',
    label: 'Clusters',
    kind: 'page',
    go: () => void navigate({ to: '/clusters' }),
  };
  if (!isInCluster) return [listOfClusters, ...clusters];
  const pages = clusterPages.map(({ label, to }) => ({
    id: label,
    label,
    kind: 'page',
    go: () => void navigate({ to: to as '/clusters/$clusterId', params: { clusterId } }),
  }));
  const ofTopics = (topics?.topics ?? []).map(({ name }) => ({
    id: `topic ${name}`,
    label: name,
    kind: 'topic',
    go: () => void navigate({ to: '/clusters/$clusterId/topics/$topic', params: { clusterId, topic: name } }),
  }));
  const ofGroups = (groups?.groups ?? []).map(({ name }) => ({
    id: `group ${name}`,
    label: name,
    kind: 'consumer group',
    go: () =>
      void navigate({
        to: '/clusters/$clusterId/consumer-groups/$group',
        params: { clusterId, group: name },
      }),
  }));
  return [...pages, listOfClusters, ...clusters, ...ofTopics, ...ofGroups];
}
