import { PlayIcon, SquareFillIcon } from '@primer/octicons-react';
import { lazy, Suspense } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { shownKeys } from '../../../ui/shortcuts.ts';
import { say } from '../../../ui/toasts.tsx';
import { filterOf, toBuilder, toRaw } from '../filter/filter-draft.ts';
import type { Explorer } from '../state/use-explorer.ts';
import { TimePicker } from '../time/time-picker.tsx';
import { BuilderRows } from './builder-rows.tsx';
import { LiveSwitch } from './live-controls.tsx';
import { TypesPicker } from './types-picker.tsx';

const FilterEditor = lazy(async () => ({
  default: (await import('./filter-editor.tsx')).FilterEditor,
}));

/** What to search: types, time and filter. */
export function QueryBar({ explorer }: { readonly explorer: Explorer }) {
  const { state, draft, searches, scope } = explorer;
  const setMode = (mode: 'raw' | 'builder') => {
    if (mode === 'raw') {
      explorer.setDraft(toRaw(draft));
      return;
    }
    const { draft: next, problem } = toBuilder(draft);
    explorer.setDraft(next);
    if (problem !== undefined) say(problem, 'warn');
  };
  const { incomplete, problem } = filterOf(draft);
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-start gap-2">
        {scope.types === undefined && (
          <TypesPicker types={state.types} onChange={(types) => explorer.search({ types })} />
        )}
        <TimePicker
          range={state.range}
          zone={state.zone}
          onRange={(range) => explorer.search({ range })}
          onZone={(zone) => explorer.show({ zone })}
        />
        <Segmented
          label="How the filter is written"
          choices={[
            { name: 'builder', title: 'Builder' },
            { name: 'raw', title: 'Raw' },
          ]}
          value={draft.mode}
          onChange={setMode}
        />
        {draft.mode === 'raw' && (
          <div className="min-w-60 flex-1 basis-80">
            <Suspense fallback={<div className="h-8 rounded-md border border-control bg-surface" />}>
              <FilterEditor explorer={explorer} />
            </Suspense>
          </div>
        )}
        {draft.mode === 'builder' && <div className="flex-1" />}
        {searches.isRunning ? (
          <Button icon={SquareFillIcon} onClick={explorer.stop}>
            Stop
          </Button>
        ) : (
          <Button
            kind="primary"
            icon={PlayIcon}
            aria-keyshortcuts="Meta+Enter Control+Enter"
            title={`Run (${shownKeys('mod+Enter').join('')})`}
            onClick={() => explorer.search()}
          >
            Run
          </Button>
        )}
        <LiveSwitch explorer={explorer} />
      </div>
      {draft.mode === 'builder' && (
        <BuilderRows explorer={explorer} problem={problem} incomplete={incomplete} />
      )}
    </div>
  );
}
