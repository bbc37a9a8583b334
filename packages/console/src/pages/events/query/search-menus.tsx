import { HistoryIcon, StarIcon, UndoIcon } from '@primer/octicons-react';
import type { OutputOf } from '@weir/api/client';
import type { TimeRange } from '@weir/events';
import { useOperation } from '../../../api/use-operation.ts';
import { visibleText } from '../../../format/visible-text.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { canBeColumn, columnsMax, stateOf } from '../state/explorer-state.ts';
import { recentSearches, searchLabel, whatIsSearched } from '../state/recent-searches.ts';
import type { Explorer } from '../state/use-explorer.ts';

interface ExplorerPart {
  readonly explorer: Explorer;
}

type Preset = OutputOf<'list_event_presets'>['presets'][number];

/** Searches that are ready to run. */
export function PresetsMenu({ explorer }: ExplorerPart) {
  const { data } = useOperation('list_event_presets', { virtual_cluster_id: explorer.clusterId });
  const run = (preset: Preset) =>
    explorer.search({
      types: preset.event_types,
      filter: preset.filter,
      range: preset.time_range as TimeRange,
      groupBy: preset.group_by,
      thenBy: '',
      aggregation: 'count',
      field: '',
      columns: (preset.columns ?? []).filter(canBeColumn).slice(0, columnsMax),
      ...(explorer.state.chart === 'off' ? { chart: 'bars' } : {}),
    });
  return (
    <Menu
      trigger={<Button icon={StarIcon}>Presets</Button>}
      entries={(data?.presets ?? []).map((preset) => ({
        id: preset.title,
        label: preset.title,
        onSelect: () => run(preset),
        ...(preset.emitted === false ? { disabledBecause: 'This release emits no such events' } : {}),
      }))}
    />
  );
}

/** Searches that were run before, and the way back to the previous one. */
export function HistoryMenu({ explorer }: ExplorerPart) {
  const searches = recentSearches(explorer.clusterId);
  const none = {
    id: 'none',
    label: 'No searches yet',
    onSelect: () => {},
    disabledBecause: 'Run a search first',
  };
  return (
    <>
      <IconButton
        icon={UndoIcon}
        label="Previous search"
        title="Previous search (U)"
        disabled={!explorer.canUndo}
        onClick={explorer.undo}
      />
      {explorer.isWhole && (
        <Menu
          trigger={<Button icon={HistoryIcon}>Recent</Button>}
          entries={
            searches.length === 0
              ? [none]
              : searches.map((search) => ({
                  id: JSON.stringify(search),
                  label: <bdi className="truncate">{visibleText(searchLabel(search))}</bdi>,
                  onSelect: () => explorer.search(whatIsSearched(stateOf(search))),
                }))
          }
        />
      )}
    </>
  );
}
