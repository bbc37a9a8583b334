import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { type LinkProps, useNavigate } from '@tanstack/react-router';
import { clusterKind } from '@weir/core';
import { useEffect, useState } from 'react';
import { useOperation } from '../../api/use-operation.ts';
import { clusterLabel } from '../../format/cluster-label.ts';
import { useClusters } from '../../session/workspace-choice.ts';
import { classNames } from '../../ui/class-names.ts';
import { pageOfObject } from '../../ui/object-link.tsx';
import { useShortcut } from '../../ui/shortcuts.ts';
import { isForPeople, type OperationEntry, whyNot } from '../operations-of-palette.ts';
import { accountPages, clustersPage } from '../pages-of-account.ts';
import { isOfOtherKinds, pageOfOperation, pagesAndTabsOfCluster } from '../pages-of-cluster.ts';
import type { FrameProps } from './frame-props.ts';
import { OperationDialog } from './operation-dialog.tsx';

const opening = new EventTarget();

export function openPalette(): void {
  opening.dispatchEvent(new Event('open'));
}

interface Target {
  readonly id: string;
  readonly label: string;
  /** What it is: `page`, `topic`. */
  readonly kind: string;
  /** Other words by which it is found. */
  readonly words?: string;
  /** Why it cannot be chosen now. */
  readonly disabledBecause?: string | undefined;
  go(): void;
}

/** Reaches every page, object and operation by the keyboard. */
export function CommandPalette({ context, clusterId }: FrameProps) {
  const [isOpen, setOpen] = useState(false);
  const [operation, setOperation] = useState<OperationEntry>();
  useEffect(() => {
    const open = () => setOpen(true);
    opening.addEventListener('open', open);
    return () => opening.removeEventListener('open', open);
  }, []);
  useShortcut({ keys: 'mod+k', label: 'Search pages, objects and operations', group: 'Everywhere' }, () =>
    setOpen((wasOpen) => !wasOpen),
  );
  return (
    <>
      <Dialog.Root open={isOpen} onOpenChange={setOpen}>
        <Dialog.Portal>
          <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/30" />
          <Dialog.Popup
            aria-label="Search"
            className="fixed top-[12vh] left-1/2 z-40 flex max-h-[70vh] w-[min(36rem,calc(100vw-2rem))] -translate-x-1/2 flex-col rounded-md border border-line bg-raised shadow-popover"
          >
            <Targets
              context={context}
              clusterId={clusterId}
              onDone={() => setOpen(false)}
              onOperation={setOperation}
            />
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
      <OperationDialog
        operation={operation}
        context={context}
        clusterId={clusterId}
        onClose={() => setOperation(undefined)}
      />
    </>
  );
}

interface TargetsProps extends FrameProps {
  readonly onOperation: (operation: OperationEntry) => void;
}

function Targets({ onDone, ...props }: TargetsProps & { readonly onDone: () => void }) {
  const targets = useTargets(props);
  return (
    <Autocomplete.Root
      items={targets}
      itemToStringValue={(target: Target) => `${target.label} ${target.kind} ${target.words ?? ''}`}
      inline
      open
      autoHighlight="always"
      keepHighlight
      limit={200}
    >
      <Autocomplete.Input
        autoFocus
        placeholder="Pages, clusters, topics, groups, tables, operations …"
        className="h-11 border-b border-line bg-transparent px-4 text-base text-ink outline-none placeholder:text-faint"
      />
      <Autocomplete.Empty className="px-4 py-6 text-center text-muted empty:hidden">
        No match.
      </Autocomplete.Empty>
      <Autocomplete.List className="overflow-y-auto p-1 empty:p-0">
        {(target: Target) => (
          <Autocomplete.Item
            key={target.id}
            value={target}
            aria-disabled={target.disabledBecause !== undefined}
            onClick={() => {
              if (target.disabledBecause !== undefined) return;
              onDone();
              target.go();
            }}
            className="flex items-center gap-2 rounded px-3 py-1.5 text-sm outline-none data-highlighted:bg-hover"
          >
            <span className="min-w-0 flex-1">
              <span
                className={classNames(
                  'block truncate',
                  target.disabledBecause === undefined ? 'text-ink' : 'text-muted',
                )}
              >
                {target.label}
              </span>
              {target.disabledBecause !== undefined && (
                <span className="block text-xs text-muted">{target.disabledBecause}</span>
              )}
            </span>
            <span className="text-xs text-muted">{target.kind}</span>
          </Autocomplete.Item>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}

function useTargets({ context, clusterId, onOperation }: TargetsProps): readonly Target[] {
  const navigate = useNavigate();
  const kind = clusterId === undefined ? undefined : clusterKind(clusterId);
  const input = { virtual_cluster_id: clusterId ?? '' };
  const { data: topics } = useOperation('list_topics', input, { isEnabled: kind === 'kafka' });
  const { data: groups } = useOperation(
    'list_consumer_groups',
    { ...input, limit: 1000 },
    { isEnabled: kind === 'kafka' },
  );
  const { data: tables } = useOperation('dl/list_tables', input, { isEnabled: kind === 'data lake' });
  const operations = useOperationTargets({ context, clusterId, onOperation });
  const target = (kind: string, label: string, page: LinkProps): Target => ({
    id: JSON.stringify([kind, label, page.params]),
    label,
    kind,
    go: () => void navigate(page as { to: '/clusters' }),
  });
  const outside = [
    ...[clustersPage, ...accountPages].map(({ label, to }) => target('page', label, { to })),
    ...useClusters(context).map((cluster) =>
      target('cluster', clusterLabel(cluster), {
        to: '/clusters/$clusterId',
        params: { clusterId: cluster.id },
      }),
    ),
  ];
  if (clusterId === undefined) return [...outside, ...operations];
  const pages = pagesAndTabsOfCluster(clusterId).map(({ label, to }) =>
    target('page', label, { to, params: { clusterId } }),
  );
  const ofTopics = (topics?.topics ?? []).map(({ name }) =>
    target('topic', name, pageOfObject(clusterId, { kind: 'topic', name })!),
  );
  const ofGroups = (groups?.groups ?? []).map(({ name }) =>
    target('consumer group', name, pageOfObject(clusterId, { kind: 'group', name })!),
  );
  const ofTables = (tables?.tables ?? []).map(({ table_name: name }) =>
    target('table', name, pageOfObject(clusterId, { kind: 'table', name })!),
  );
  return [...pages, ...outside, ...ofTopics, ...ofGroups, ...ofTables, ...operations];
}

/** The catalogue has the schemas of all operations, so that it is loaded when it is first needed. */
async function loadOperations(): Promise<readonly OperationEntry[]> {
  const { operations } = await import('@weir/api');
  return operations.filter(isForPeople);
}

/** Operations lead to the page that does them, or to the command that does. */
function useOperationTargets({ context, clusterId, onOperation }: TargetsProps): readonly Target[] {
  const navigate = useNavigate();
  const { data } = useQuery({ queryKey: ['operations'], queryFn: loadOperations, staleTime: Infinity });
  if (context === undefined) return [];
  return (data ?? []).map((operation) => {
    const isOfClusters = clustersPage.operations.includes(operation.name);
    const ofAccount = accountPages.find(({ operations }) => operations.includes(operation.name));
    const ofCluster = clusterId === undefined ? undefined : pageOfOperation(operation.name, clusterId);
    return {
      id: `operation ${operation.name}`,
      label: operation.title,
      kind: 'operation',
      words: operation.name,
      // On the page of all clusters a person chooses the one that it is about.
      disabledBecause:
        clusterId !== undefined && isOfOtherKinds(operation.name, clusterId)
          ? 'Clusters of this kind do not have it'
          : whyNot(isOfClusters ? { ...operation, scope: 'workspace' } : operation, { context, clusterId }),
      go: () => {
        if (isOfClusters) return void navigate({ to: clustersPage.to });
        if (ofAccount !== undefined) return void navigate({ to: ofAccount.to as '/keys' });
        if (ofCluster !== undefined && clusterId !== undefined)
          return void navigate({ to: ofCluster.to as '/clusters/$clusterId', params: { clusterId } });
        return onOperation(operation);
      },
    };
  });
}
